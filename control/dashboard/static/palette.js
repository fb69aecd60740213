// The search of all pages as a palette: a combobox in a dialog, whose options the server sends. Loaded when it is opened.
import { go, load } from "./screens.js";

const WAIT_MS = 120;
let dialog;

/**
 * Opens the palette of *button*: `data-palette` is the address of the options, `data-label` names the field. *typed*: the
 * keys that were pressed since it was called for.
 */
export function openPalette(button, typed) {
  dialog ??= build(button);
  dialog.showModal();
  const input = dialog.querySelector("input");
  input.value = typed.filter((key) => key.length === 1).join("");
  input.dispatchEvent(new Event("input"));
  if (typed.includes("Enter")) input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
}

function build(button) {
  const made = document.createElement("dialog");
  made.className = "palette";
  made.setAttribute("aria-label", button.dataset.label);
  const input = document.createElement("input");
  const box = document.createElement("div");
  const status = document.createElement("p");
  box.id = "palette-options";
  box.setAttribute("role", "listbox");
  box.setAttribute("aria-label", button.dataset.label);
  status.className = "unseen";
  status.setAttribute("role", "status");
  for (const [name, value] of Object.entries({
    role: "combobox", type: "text", autocomplete: "off", spellcheck: "false", maxlength: "200",
    placeholder: button.dataset.label, "aria-label": button.dataset.label,
    "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": box.id,
  })) input.setAttribute(name, value);
  made.append(input, box, status);
  document.body.append(made);

  let at = -1, requests = 0, waiting, isFresh = true, isWanted = false;
  const options = () => [...box.querySelectorAll("[role=option]")];
  const move = (to) => {
    const all = options();
    all[at]?.setAttribute("aria-selected", "false");
    at = all.length ? (to + all.length) % all.length : -1;
    if (at < 0) return input.removeAttribute("aria-activedescendant");
    all[at].setAttribute("aria-selected", "true");
    all[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", all[at].id);
  };
  const take = () => {
    const option = options()[at];
    if (!option) return;
    made.close();
    go(option.href);
  };
  const ask = async () => {
    const mine = ++requests;
    box.setAttribute("aria-busy", "true");
    try {
      const answer = await load(`${button.dataset.palette}?q=${encodeURIComponent(input.value.trim())}`);
      if (!answer.ok || mine !== requests) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== requests) return;
      box.replaceChildren(...[...fresh.body.children].map((part) => document.adoptNode(part)));
    } catch {
      return; // The next letter tries again.
    } finally {
      if (mine === requests) box.removeAttribute("aria-busy");
    }
    options().forEach((one, place) => (one.id = `palette-${place}`));
    const { length } = options();
    const counted = length === 1 ? button.dataset.countedOne : button.dataset.counted.replace("{num}", length);
    status.textContent = box.querySelector(".none")?.textContent ?? counted;
    isFresh = true;
    at = -1;
    move(0);
    if (isWanted) take();
    isWanted = false;
  };

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    isFresh = isWanted = false;
    waiting = setTimeout(ask, input.value ? WAIT_MS : 0);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      move(at + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      // What was just typed is meant, not what the former letters found.
      if (isFresh) take();
      else isWanted = true;
    }
  });
  box.addEventListener("mousedown", (event) => event.preventDefault());
  box.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => event.target === made && made.close());
  return made;
}
