// <div data-pick="ADDRESS"> around a list, <fieldset data-pick-many="ADDRESS"> around boxes: a field to type into that
// finds any object by a part of its name, as a combobox with a list box. The list or the boxes stay what is sent. Without
// an address the options of the list are all there are.
import { load } from "./screens.js";

let number = 0;

function enhance() {
  for (const container of document.querySelectorAll("[data-pick]:not([data-is-picked])")) pickOne(container);
  for (const container of document.querySelectorAll("[data-pick-many]:not([data-is-picked])")) pickMany(container);
}

function pickOne(container) {
  const list = container.querySelector("select");
  const input = fieldFor(container);
  const shown = () => list.selectedOptions[0]?.value ? list.selectedOptions[0].textContent.trim() : "";
  input.id = list.id;
  input.setAttribute("aria-describedby", list.getAttribute("aria-describedby"));
  input.placeholder = [...list.options].find((one) => !one.value)?.textContent ?? "";
  list.removeAttribute("id");
  list.hidden = true;
  list.before(input.parentElement);
  const settle = () => (input.value = shown());
  const copy = () => input.setAttribute("aria-invalid", list.getAttribute("aria-invalid") ?? "false");
  new MutationObserver(copy).observe(list, { attributeFilter: ["aria-invalid"] });
  list.addEventListener("change", settle);
  combine(input, container.dataset.pick, {
    none: container.dataset.none,
    start: () => [...list.options].filter((one) => one.value).map((one) => [one.value, one.textContent.trim()]),
    choose(value, words) {
      if (![...list.options].some((one) => one.value === value)) list.add(new Option(words, value));
      if (list.value !== value) select(list, value);
      settle();
    },
    leave() {
      const none = [...list.options].some((one) => !one.value);
      if (!input.value.trim() && none && list.value) select(list, "");
      settle();
    },
  });
  settle();
  copy();
}

function pickMany(container) {
  const input = fieldFor(container);
  input.setAttribute("aria-label", container.querySelector("[type=search]").getAttribute("aria-label"));
  input.placeholder = container.querySelector("[type=search]").placeholder;
  container.querySelector("legend").after(input.parentElement);
  const name = container.id.slice("f-".length);
  const boxes = () => [...container.querySelectorAll("input[type=checkbox]")];
  const known = [];
  for (const box of boxes()) {
    const label = box.closest("label");
    known.push([box.value, label.textContent.trim()]);
    if (!box.checked) label.remove();
  }
  combine(input, container.dataset.pickMany, {
    start: () => known,
    choose(value, words) {
      const box = boxes().find((one) => one.value === value) ?? add(value, words);
      box.checked = true;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.dispatchEvent(new Event("change", { bubbles: true }));
      input.value = "";
    },
    leave: () => (input.value = ""),
  });
  function add(value, words) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", name, value });
    label.append(box, ` ${words}`);
    input.parentElement.after(label);
    return box;
  }
}

/** The field, in a wrapping of its own in which its list box opens. What searches without a script goes. */
function fieldFor(container) {
  container.dataset.isPicked = "";
  const wrapping = document.createElement("div");
  wrapping.className = "combobox";
  const input = document.createElement("input");
  wrapping.append(input);
  queueMicrotask(() => container.querySelectorAll("[data-seek]").forEach((part) => part.remove()));
  return input;
}

function combine(input, address, { start, choose, leave, none = "" }) {
  const box = document.createElement("ul");
  const status = document.createElement("p");
  box.id = `picks-${++number}`;
  box.hidden = status.hidden = true;
  box.setAttribute("role", "listbox");
  status.setAttribute("role", "status");
  for (const [name, value] of Object.entries({
    role: "combobox", type: "text", autocomplete: "off", spellcheck: "false",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": box.id,
  })) input.setAttribute(name, value);
  input.after(box, status);
  let at = -1, requests = 0, waiting;

  const options = () => [...box.children];
  const close = () => {
    clearTimeout(waiting);
    requests += 1;
    at = -1;
    box.hidden = status.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const show = (items, words = "") => {
    at = -1;
    input.removeAttribute("aria-activedescendant");
    box.replaceChildren(...items);
    options().forEach((one, place) => (one.id = `${box.id}-${place}`));
    box.setAttribute("aria-label", input.getAttribute("aria-label") ?? input.labels[0]?.textContent.trim() ?? "");
    status.textContent = words;
    status.hidden = !words;
    box.hidden = !items.length;
    input.setAttribute("aria-expanded", String(!box.hidden));
  };
  const item = ([value, words]) => {
    const made = document.createElement("li");
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    made.dataset.value = value;
    made.textContent = words;
    return made;
  };
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("_", " ").toLowerCase();
  const ask = async () => {
    const mine = ++requests;
    if (!address) {
      const sought = plain(input.value.trim());
      const found = start().filter((one) => one.some((words) => plain(words).includes(sought)));
      show(found.map(item), found.length ? "" : none);
      return;
    }
    const joint = address.includes("?") ? "&" : "?";
    try {
      const answer = await load(`${address}${joint}q=${encodeURIComponent(input.value.trim())}`);
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== requests || !answer.ok) return;
      const found = [...fresh.querySelectorAll("[role=option]")].map((one) => document.adoptNode(one));
      show(found, fresh.querySelector("p")?.textContent.trim());
    } catch {
      // The next letter tries again.
    }
  };
  const move = (to) => {
    const all = options();
    if (!all.length) return;
    all[at]?.setAttribute("aria-selected", "false");
    at = (to + all.length) % all.length;
    all[at].setAttribute("aria-selected", "true");
    all[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", all[at].id);
  };
  const take = (option) => {
    choose(option.dataset.value, option.textContent.trim());
    close();
  };
  const open = () => {
    const known = start();
    if (known.length) show(known.map(item));
    else ask();
  };

  input.addEventListener("focus", () => input.select());
  input.addEventListener("click", () => box.hidden && open());
  input.addEventListener("input", (event) => {
    event.stopPropagation();
    clearTimeout(waiting);
    waiting = setTimeout(ask, 200);
  });
  input.addEventListener("change", (event) => event.stopPropagation());
  input.addEventListener("keydown", (event) => {
    const isOpen = !box.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) open();
      else move(event.key === "ArrowDown" ? at + 1 : at < 0 ? -1 : at - 1);
    } else if (event.key === "Enter" && (isOpen || input.value.trim())) {
      event.preventDefault();
      if (isOpen && (at >= 0 || options().length === 1)) take(options()[Math.max(at, 0)]);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      close();
      leave();
    }
  });
  input.addEventListener("blur", () => {
    close();
    leave();
  });
  box.addEventListener("mousedown", (event) => event.preventDefault());
  box.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
}

function select(list, value) {
  list.value = value;
  list.dispatchEvent(new Event("input", { bubbles: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

document.addEventListener("placard:shown", enhance);
enhance();
