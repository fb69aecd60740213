// Draws every <figure data-chart> from the JSON in it, at the width of its container and in the colours of the page. The
// page also has the figures as a table, for browsers in which this does not run; if it fails, a folded table opens.
const COLOURS = ["--accent", "--warn", "--good", "--bad", "--series-5", "--series-6"];
const HEIGHT = 210;
const FONT = "12px system-ui";
const WHOLE = Array.from({ length: 45 }, (_, number) => [1, 2, 5][number % 3] * 10 ** Math.floor(number / 3));
const { dataset, lang } = document.documentElement;
const language = dataset.locale || lang || "en";
const dark = matchMedia("(prefers-color-scheme: dark)");
const drawn = new Map();
let library;

function fetchLibrary() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/vendor/uPlot.iife.min.js";
    script.onload = () => resolve(globalThis.uPlot);
    script.onerror = reject;
    document.head.append(script);
  });
  return library;
}

/** `step`: the distance of an axis's ticks, which then have equal decimals; without it, a value has all its decimals. */
function writerOf({ unit, currency }, step) {
  const styles = { ratio: { style: "percent" }, cents: { style: "currency", currency } };
  const format = new Intl.NumberFormat(language, { ...styles[unit], ...shapeOf(unit, step) });
  return (value) => (value == null ? "–" : format.format(value));
}

function shapeOf(unit, step) {
  if (step === undefined) return { ratio: { maximumFractionDigits: 2 }, cents: {} }[unit] ?? { maximumFractionDigits: 20 };
  const apart = unit === "ratio" ? step * 100 : step;
  if (apart >= 1 && unit !== "ratio") return { notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: 2 };
  const digits = Math.max(unit === "cents" ? 2 : 0, decimalsOf(apart));
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

/** A step of 0.025 needs three decimals, or the labels of its ticks would be rounded. */
function decimalsOf(step) {
  return (String(Number(step.toPrecision(3))).split(".")[1] ?? "").length;
}

function dateWriter({ granularity, timezone }, short) {
  const day = { day: "numeric", month: "short" };
  const shape = granularity === "hour" ? { ...(short ? {} : day), hour: "numeric", minute: "2-digit" } : day;
  if (!short) shape.year = "numeric";
  const format = new Intl.DateTimeFormat(language, { ...shape, timeZone: timezone });
  return (seconds) => format.format(seconds * 1000);
}

/** The colour of a CSS expression, in a form that a canvas accepts. */
function colourOf(place, expression) {
  place.style.color = expression;
  const found = getComputedStyle(place).color;
  place.style.color = "";
  return found;
}

/** Fades from the line down, so that the grid stays visible. */
function areaOf(place, name) {
  const [top, bottom] = [22, 2].map((share) => colourOf(place, `color-mix(in srgb, var(${name}) ${share}%, transparent)`));
  return (chart) => {
    const { ctx, bbox } = chart;
    if (!Number.isFinite(bbox.height)) return bottom; // The legend calls this before there is a plot.
    const fill = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
    fill.addColorStop(0, top);
    fill.addColorStop(1, bottom);
    return fill;
  };
}

/** Evenly spaced periods, so that their labels have room. */
function splitsOf(data, width) {
  const step = Math.max(1, Math.ceil(data.x.length / Math.max(2, Math.floor(width / 90))));
  return data.x.filter((_, number) => number % step === 0);
}

/** Pixels by which a centred label of the last period extends beyond it. */
function overhangOf(words) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = FONT;
  return Math.ceil(Math.max(...words.map((word) => pen.measureText(word).width)) / 2);
}

/** Whether all values are 0 or missing: then the axis shows only 0. */
function isEmpty({ series }) {
  return series.every(({ values }) => values.every((value) => !value));
}

/** Axes of counts have whole steps. */
function stepsOf(data) {
  return data.unit === "count" || isEmpty(data) ? WHOLE : undefined;
}

/** Shows the values of the instant under the pointer. All charts of a page show the same instant. */
function tooltipOf(data) {
  const written = writerOf(data);
  const moment = dateWriter(data);
  const box = document.createElement("div");
  box.className = "tooltip";
  box.hidden = true;
  const show = (chart) => {
    const { idx, left } = chart.cursor;
    box.hidden = idx == null || left < 0;
    if (box.hidden) return;
    const title = document.createElement("strong");
    title.textContent = moment(data.x[idx]);
    const rows = data.series.map((one, number) => {
      const row = document.createElement("span");
      const mark = document.createElement("i");
      mark.style.borderTop = `2px ${one.before ? "dashed" : "solid"} ${chart.series[number + 1].stroke()}`;
      const value = document.createElement("b");
      value.textContent = written(one.values[idx]);
      row.append(mark, one.label, value);
      return row;
    });
    box.replaceChildren(title, ...rows);
    const at = chart.valToPos(data.x[idx], "x");
    const isRight = at > chart.over.clientWidth / 2;
    box.style.left = isRight ? "auto" : `${at + 12}px`;
    box.style.right = isRight ? `${chart.over.clientWidth - at + 12}px` : "auto";
  };
  return { hooks: { init: (chart) => chart.over.append(box), setCursor: show } };
}

function optionsOf(data, place) {
  const width = place.clientWidth;
  const last = data.x.length - 1;
  const colour = (name) => colourOf(place, `var(${name})`);
  const lines = data.series.filter((one) => !one.before).length;
  const written = writerOf(data);
  const moment = dateWriter(data);
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: FONT };
  const shortMoment = dateWriter(data, true);
  return {
    width,
    height: HEIGHT,
    padding: [null, overhangOf(data.x.map(shortMoment)), null, null],
    tzDate: (seconds) => globalThis.uPlot.tzDate(new Date(seconds * 1000), data.timezone),
    plugins: [tooltipOf(data)],
    hooks: { setCursor: [(chart) => chart.cursor.idx == null && chart.setLegend({ idx: last })] },
    legend: { markers: { dash: (_, number) => (data.series[number - 1]?.before ? "dashed" : "solid") } },
    // Charts of one page show the same instant.
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "page" } },
    scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, size: 30, splits: (chart) => splitsOf(data, chart.width), values: (_, splits) => splits.map(shortMoment) },
      { ...axis, ...(isEmpty(data) && { splits: () => [0] }), values: (_, splits, at, space, step) => splits.map(writerOf(data, step)), incrs: stepsOf(data), size: 62 },
    ],
    series: [
      { label: place.closest("figure").dataset.time, value: (_, seconds) => (seconds == null ? "–" : moment(seconds)) },
      ...data.series.map((one, number) => ({
        label: one.label,
        stroke: one.before ? colour("--soft") : colour(COLOURS[number % COLOURS.length]),
        fill: lines === 1 && !one.before ? areaOf(place, COLOURS[number]) : undefined,
        dash: one.before ? [5, 4] : undefined,
        width: one.before ? 1.5 : 2,
        points: { show: data.x.length < 40 && !one.before, size: 5 },
        value: (_, value) => written(value),
      })),
    ],
  };
}

function openTable(figure) {
  const folded = document.getElementById(figure.getAttribute("aria-describedby"))?.closest("details");
  if (folded) folded.open = true;
}

async function draw(figure) {
  const place = figure.querySelector(".drawing");
  const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  let uPlot;
  try {
    uPlot = await fetchLibrary();
  } catch {
    openTable(figure); // The plain line stays.
    return;
  }
  if (!figure.isConnected) return;
  drawn.get(figure)?.destroy();
  const plain = [...place.childNodes];
  place.replaceChildren();
  const columns = [data.x, ...data.series.map((one) => one.values)];
  let chart;
  try {
    chart = new uPlot(optionsOf(data, place), columns, place);
  } catch {
    place.replaceChildren(...plain); // It throws in a browser without a locale.
    openTable(figure);
    return;
  }
  chart.setLegend({ idx: data.x.length - 1 });
  drawn.set(figure, chart);
}

// A part that stays fresh: the chart takes the new values, and whoever points at it loses nothing.
document.addEventListener("placard:fresh", (event) => {
  const chart = drawn.get(event.target);
  if (!chart) return;
  const own = event.target.querySelector("script[type='application/json']");
  const text = event.detail.querySelector("script[type='application/json']")?.textContent;
  if (!text) return;
  event.preventDefault();
  if (own.textContent === text || event.target.matches(":hover")) return; // The next turn brings it.
  own.textContent = text;
  draw(event.target);
});

const widths = new ResizeObserver((changes) => {
  for (const { target, contentRect } of changes) {
    const chart = drawn.get(target.closest("figure"));
    if (chart && Math.abs(chart.width - contentRect.width) > 1) chart.setSize({ width: contentRect.width, height: HEIGHT });
  }
});

function drawNew() {
  for (const figure of drawn.keys()) {
    if (figure.isConnected) continue;
    drawn.get(figure)?.destroy();
    drawn.delete(figure);
  }
  for (const figure of document.querySelectorAll("figure[data-chart]")) {
    if (drawn.has(figure)) continue;
    drawn.set(figure, undefined);
    widths.observe(figure.querySelector(".drawing"));
    draw(figure);
  }
}

dark.addEventListener("change", () => [...drawn.keys()].forEach(draw));
new MutationObserver(drawNew).observe(document.body, { childList: true, subtree: true });
drawNew();
