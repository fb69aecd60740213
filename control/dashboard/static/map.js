// <div data-map="URL" data-adds-to="NAME">: a map on which a press adds a country to a list ([data-entries]) or removes it.
// The list stays the primary control: keyboards and screen readers use it alone, and it has the countries that are too small for the map.
export function enhanceMaps() {
  for (const container of document.querySelectorAll("[data-map]:not([data-is-enhanced])")) {
    container.dataset.isEnhanced = "";
    container.hidden = false;
    const button = container.querySelector("button");
    button.addEventListener("click", () => open(container, button));
  }
}

async function open(container, button) {
  if (container.querySelector("svg")) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    container.querySelector("[data-drawn]").hidden = isOpen;
    button.setAttribute("aria-expanded", String(!isOpen));
    return;
  }
  const drawnIn = container.querySelector("[data-drawn]");
  button.disabled = true;
  drawnIn.hidden = false;
  drawnIn.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(container.dataset.map);
    if (!answer.ok) return;
    const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    draw(container, drawn);
    button.setAttribute("aria-expanded", "true");
  } finally {
    button.disabled = false;
    drawnIn.removeAttribute("aria-busy");
    drawnIn.hidden = !drawnIn.querySelector("svg");
  }
}

function draw(container, svg) {
  const area = container.closest("form").elements.namedItem(container.dataset.addsTo);
  const names = new Map([...document.querySelectorAll("#countries option")].map((one) => [one.dataset.code, one.value]));
  const codes = new Map([...names].map(([code, name]) => [name.toLowerCase(), code]));
  const under = container.querySelector("[data-under]");
  const entries = () => area.value.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);
  const codeOf = (entry) => codes.get(entry.toLowerCase()) ?? entry.toLowerCase();
  const mark = () => {
    const chosen = new Set(entries().map(codeOf));
    for (const path of svg.querySelectorAll("[data-country]")) path.classList.toggle("chosen", chosen.has(path.dataset.country));
  };
  svg.setAttribute("aria-hidden", "true");
  svg.addEventListener("click", (event) => {
    const code = event.target.dataset?.country;
    if (!names.has(code)) return;
    const rest = entries().filter((entry) => codeOf(entry) !== code);
    area.value = (rest.length < entries().length ? rest : [...rest, names.get(code)]).join("\n");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  svg.addEventListener("pointerover", (event) => {
    under.textContent = names.get(event.target.dataset?.country) ?? "";
  });
  area.addEventListener("input", mark);
  container.querySelector("[data-drawn]").prepend(svg);
  mark();
}

document.addEventListener("placard:shown", enhanceMaps);
enhanceMaps();
