// <div data-entries="DATALIST" data-remove="Remove {what}"> around a text area of one entry a line: entries are picked and shown one by one.
// The text area stays what is sent.
function enhanceAll() {
  for (const container of document.querySelectorAll("[data-entries]:not([data-is-enhanced])")) {
    const area = container.querySelector("textarea");
    container.dataset.isEnhanced = "";
    if (area) enhance(area, container.dataset.entries);
  }
}

function enhance(area, choices) {
  const input = document.createElement("input");
  if (choices) input.setAttribute("list", choices);
  input.id = area.id;
  input.autocomplete = "off";
  for (const name of ["aria-describedby", "aria-invalid"]) {
    if (area.hasAttribute(name)) input.setAttribute(name, area.getAttribute(name));
  }
  area.removeAttribute("id");
  area.hidden = true;
  const list = document.createElement("ul");
  list.className = "entries";
  area.before(list, input);

  const entries = () => area.value.split(/[\n,]/).map((one) => one.trim()).filter(Boolean);
  const write = (all) => {
    area.value = [...new Set(all)].join("\n");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const show = () => {
    list.replaceChildren(...entries().map((entry, place) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      const mark = document.createElement("span");
      mark.setAttribute("aria-hidden", "true");
      mark.textContent = "✕";
      button.append(entry, " ", mark);
      button.setAttribute("aria-label", area.closest("[data-entries]").dataset.remove.replace("{what}", () => entry));
      button.addEventListener("click", () => {
        write(entries().filter((_, other) => other !== place));
        input.focus();
      });
      item.append(button);
      return item;
    }));
  };
  const take = () => {
    if (!input.value.trim()) return;
    write([...entries(), ...input.value.split(",")]);
    input.value = "";
  };
  const isChoice = () => [...(input.list?.options ?? [])].some((option) => option.value === input.value);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && input.value.trim()) {
      event.preventDefault();
      take();
    }
  });
  input.addEventListener("input", (event) => {
    if (event.inputType === "insertReplacementText" || (!event.inputType && isChoice())) take();
  });
  input.addEventListener("change", take);
  area.form?.addEventListener("submit", take, { capture: true });
  area.addEventListener("input", show);
  show();
}

document.addEventListener("placard:shown", enhanceAll);
enhanceAll();

// <div data-rows="NAME"> of <div data-row>s: its button [data-add-row] adds an empty one without asking the server.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-add-row]");
  const list = button?.closest("[data-rows]");
  if (!list?.querySelector("[data-row]")) return;
  event.preventDefault();
  addRow(list).querySelector("input, select, textarea").focus();
});

/** The new row, an empty copy of the last one. */
export function addRow(list) {
  const last = [...list.querySelectorAll("[data-row]")].pop();
  const prefix = `${list.dataset.rows}.`;
  const number = Number(last.querySelector("[name]").name.slice(prefix.length).split(".")[0]);
  const next = last.cloneNode(true);
  for (const part of next.querySelectorAll("*")) {
    for (const name of ["id", "for", "name", "data-error", "aria-describedby", "aria-invalid"]) {
      const value = part.getAttribute(name);
      if (value) part.setAttribute(name, value.replaceAll(`${prefix}${number}.`, `${prefix}${number + 1}.`));
    }
    if (part.matches(".error")) part.textContent = "";
    if (part.matches("input:not([type=checkbox]), textarea")) part.value = part.defaultValue = part.name.endsWith(".interval") ? "1" : "";
    if (part.matches("[type=checkbox]")) part.checked = false;
  }
  last.after(next);
  return next;
}

// What few forms need is loaded once it is wanted: the field of a file, the map, and the week when its section opens.
function loadWanted() {
  if (document.querySelector("[data-file-field]")) import("./upload.js");
  if (document.querySelector("[data-map]")) import("./map.js");
  for (const week of document.querySelectorAll("[data-week]")) {
    const section = week.closest("details:not([open])");
    if (section) section.addEventListener("toggle", () => import("./week.js"), { once: true });
    else import("./week.js");
  }
}
document.addEventListener("placard:shown", loadWanted);
loadWanted();
