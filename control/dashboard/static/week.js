// <div data-week="NAME"> before rows of days and times: a grid of the week's hours that is painted by mouse, touch or
// keyboard. The form sends the rows; those that do not begin and end on the hour are changed in their own fields only.
import { addRow } from "./entries.js";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const HOURS = 24;
const CELLS = DAYS.length * HOURS;
const [NONE, PART, WHOLE] = [0, 1, 2];
const two = (number) => String(number).padStart(2, "0");
const clock = (hour) => `${two(hour)}:00`;

function minutesOf(text) {
  const found = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  const minutes = found ? Number(found[1]) * 60 + Number(found[2]) : NaN;
  return minutes <= HOURS * 60 ? minutes : NaN;
}

/** A row's fields and window; `length` is NaN while the row has no window. */
function windowOf(row) {
  const field = (name) => row.querySelector(`[name$=".${name}"]`);
  const boxes = [...row.querySelectorAll('[name$=".days"]')];
  const [start, end] = [field("start"), field("end")];
  const [from, to] = [minutesOf(start.value), minutesOf(end.value)];
  const days = boxes.filter((box) => box.checked).map((box) => DAYS.indexOf(box.value));
  const length = to > from ? to - from : to < from ? to + HOURS * 60 - from : NaN;
  const isEmpty = !days.length && !start.value.trim() && !end.value.trim();
  return { boxes, start, end, days, from, length, isEmpty, isOnTheHour: from % 60 === 0 && length % 60 === 0 };
}

function paintedBy(windows) {
  const cells = new Array(CELLS).fill(NONE);
  for (const { days, from, length } of windows) {
    if (!(length > 0)) continue;
    for (const day of days) {
      const start = day * HOURS * 60 + from;
      for (let at = Math.floor(start / 60); at * 60 < start + length; at += 1) {
        const covered = Math.min(start + length, (at + 1) * 60) - Math.max(start, at * 60);
        cells[at % CELLS] = Math.max(cells[at % CELLS], covered === 60 ? WHOLE : PART);
      }
    }
  }
  return cells;
}

/** Windows of one day each or, where days have the same hours, of several. */
function windowsOf(cells) {
  const found = new Map();
  for (let day = 0; day < DAYS.length; day += 1) {
    for (let hour = 0; hour < HOURS; hour += 1) {
      const start = hour;
      while (hour < HOURS && cells[day * HOURS + hour]) hour += 1;
      if (hour === start) continue;
      const key = `${clock(start)} ${clock(hour)}`;
      found.set(key, [...(found.get(key) ?? []), day]);
    }
  }
  return [...found].map(([key, days]) => ({ days, start: key.slice(0, 5), end: key.slice(6) }));
}

function enhance(week) {
  week.dataset.isEnhanced = "";
  const list = week.parentElement.querySelector(`[data-rows="${week.dataset.week}"]`);
  const most = Number(week.dataset.most);
  const windows = () => [...list.querySelectorAll("[data-row]")].map((row) => ({ row, ...windowOf(row) }));
  const dayNames = windowOf(list.querySelector("[data-row]")).boxes.map((box) => box.closest("label").textContent.trim());
  const status = week.querySelector("[role=status]");
  const zone = week.querySelector("[data-week-zone]");
  const grid = document.createElement("div");
  grid.className = "week-grid";
  for (const [name, value] of [["role", "grid"], ["aria-multiselectable", "true"], ["aria-label", week.dataset.label], ["aria-describedby", week.querySelector("[data-week-keys]").id]]) grid.setAttribute(name, value);
  const part = (role, parent, text = "") => {
    const made = document.createElement("div");
    made.setAttribute("role", role);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  const head = part("row", grid);
  part("columnheader", head).setAttribute("aria-label", week.dataset.label);
  for (let hour = 0; hour < HOURS; hour += 1) part("columnheader", head, two(hour)).dataset.hour = hour;
  const cells = [];
  dayNames.forEach((name, day) => {
    const row = part("row", grid);
    part("rowheader", row, name).dataset.day = day;
    for (let hour = 0; hour < HOURS; hour += 1) {
      const cell = part("gridcell", row);
      cell.tabIndex = cells.length ? -1 : 0;
      cell.dataset.at = cells.length;
      cells.push(cell);
    }
  });
  week.prepend(grid);
  week.hidden = false;

  let now = [];
  const draw = (shown) => {
    cells.forEach((cell, at) => {
      const [day, hour] = [Math.floor(at / HOURS), at % HOURS];
      cell.setAttribute("aria-selected", String(shown[at] === WHOLE));
      cell.classList.toggle("part", shown[at] === PART);
      const words = `${dayNames[day]} ${clock(hour)}–${clock(hour + 1)}`;
      cell.setAttribute("aria-label", shown[at] === PART ? `${words}, ${week.dataset.part}` : words);
    });
  };
  const read = () => {
    now = paintedBy(windows());
    draw(now);
  };

  function write(on) {
    const kept = windows().filter((one) => !one.isEmpty && !one.isOnTheHour);
    const wanted = windowsOf(on.map((one) => one === WHOLE));
    const isTooMuch = wanted.length + kept.length > most;
    status.textContent = isTooMuch ? week.dataset.full : "";
    if (!isTooMuch) {
      const free = windows().filter((one) => one.isEmpty || one.isOnTheHour);
      while (free.length < wanted.length) {
        const row = addRow(list);
        free.push({ row, ...windowOf(row) });
      }
      free.forEach((one, number) => {
        const window = wanted[number];
        for (const box of one.boxes) box.checked = Boolean(window?.days.includes(DAYS.indexOf(box.value)));
        one.start.value = window?.start ?? "";
        one.end.value = window?.end ?? "";
      });
      for (const one of free.slice(Math.max(wanted.length, 1))) one.row.remove();
      list.querySelector("[name]").dispatchEvent(new Event("input", { bubbles: true }));
    }
    read();
  }

  const painted = (from, to, value) => {
    const on = [...now];
    const [days, hours] = [[from, to].map((at) => Math.floor(at / HOURS)), [from, to].map((at) => at % HOURS)];
    for (let day = Math.min(...days); day <= Math.max(...days); day += 1) {
      for (let hour = Math.min(...hours); hour <= Math.max(...hours); hour += 1) on[day * HOURS + hour] = value;
    }
    return on;
  };
  const other = (at) => (now[at] === WHOLE ? NONE : WHOLE);
  const focus = (at) => {
    for (const cell of cells) cell.tabIndex = -1;
    cells[at].tabIndex = 0;
    cells[at].focus();
  };

  // A finger that moves scrolls the page, so touch paints by taps.
  let drag = null;
  grid.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button) return;
    const { at, day, hour } = event.target.dataset;
    event.preventDefault();
    if (at) {
      focus(Number(at));
      drag = { from: Number(at), to: Number(at), value: other(at) };
      draw(painted(drag.from, drag.to, drag.value));
    } else if (day) {
      const [from, to] = [day * HOURS, day * HOURS + HOURS - 1];
      write(painted(from, to, now.slice(from, to + 1).every((one) => one === WHOLE) ? NONE : WHOLE));
    } else if (hour) {
      const isAll = DAYS.every((_, each) => now[each * HOURS + Number(hour)] === WHOLE);
      write(painted(Number(hour), CELLS - HOURS + Number(hour), isAll ? NONE : WHOLE));
    }
  });
  grid.addEventListener("pointerover", (event) => {
    if (!drag || !event.target.dataset.at) return;
    drag.to = Number(event.target.dataset.at);
    draw(painted(drag.from, drag.to, drag.value));
  });
  document.addEventListener("pointerup", () => {
    if (!drag) return;
    const { from, to, value } = drag;
    drag = null;
    write(painted(from, to, value));
  });
  document.addEventListener("pointercancel", () => {
    drag = null;
    read();
  });
  grid.addEventListener("click", (event) => {
    const { at } = event.target.dataset;
    if (!at || event.pointerType !== "touch") return;
    focus(Number(at));
    write(painted(Number(at), Number(at), other(at)));
  });

  // Hours lie beside each other, or below each other where the page is narrow.
  const steps = () => {
    const isTurned = getComputedStyle(grid).gridAutoFlow === "column";
    const [hour, day] = isTurned ? ["Down", "Right"] : ["Right", "Down"];
    const [earlier, before] = isTurned ? ["Up", "Left"] : ["Left", "Up"];
    return { [`Arrow${hour}`]: 1, [`Arrow${earlier}`]: -1, [`Arrow${day}`]: HOURS, [`Arrow${before}`]: -HOURS };
  };
  grid.addEventListener("keydown", (event) => {
    const at = Number(event.target.dataset.at);
    if (Number.isNaN(at) || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = steps()[event.key];
    if (event.key === " " || event.key === "Enter") write(painted(at, at, other(at)));
    else if (event.key === "Home") focus(at - (at % HOURS));
    else if (event.key === "End") focus(at - (at % HOURS) + HOURS - 1);
    else if (step) {
      const to = (at + step + CELLS) % CELLS; // the hour after Sunday's last is Monday's first
      if (event.shiftKey) write(painted(to, to, now[at] === WHOLE ? WHOLE : NONE));
      focus(to);
    } else return;
    event.preventDefault();
  });

  const nameZone = () => {
    const control = week.closest("form").elements.namedItem("timezone");
    const name = control?.selectedOptions?.[0]?.textContent.trim() || week.dataset.zone;
    zone.textContent = name ? week.dataset.in.replace("{zone}", name) : "";
  };
  list.addEventListener("input", () => !drag && read());
  list.addEventListener("change", () => !drag && read());
  week.closest("form").addEventListener("change", nameZone);
  nameZone();
  read();
}

function enhanceAll() {
  for (const week of document.querySelectorAll("[data-week]:not([data-is-enhanced])")) enhance(week);
}
document.addEventListener("placard:shown", enhanceAll);
enhanceAll();
