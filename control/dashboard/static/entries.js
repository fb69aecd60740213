// <div data-entries="DATALIST"> around a text area of one entry a line: entries are picked and shown one by one.
// The text area stays what is sent.
function enhanceAll() {
  for (const around of document.querySelectorAll("[data-entries]:not([data-is-enhanced])")) {
    const area = around.querySelector("textarea");
    around.dataset.isEnhanced = "";
    if (area) enhance(area, around.dataset.entries);
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
    show();
  };
  const show = () => {
    list.replaceChildren(...entries().map((entry, place) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${entry} ✕`;
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
  show();
}

document.addEventListener("placard:shown", enhanceAll);
enhanceAll();
