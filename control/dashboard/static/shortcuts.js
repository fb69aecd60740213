// Keys of the whole dashboard: the palette, the list of shortcuts, and pages by "g" and a letter. The dialog with the
// list says what there is, and its checkbox turns off those without Ctrl or ⌘ (WCAG 2.1.4).
const STORED = "placard_single_keys";
const NEXT_KEY_MS = 1500;
const dialog = document.getElementById("shortcuts");
const search = document.querySelector("[data-palette]");
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

for (const key of document.querySelectorAll("[data-modified-key]")) {
  key.textContent = `${isApple ? "⌘" : "Ctrl"} ${key.dataset.modifiedKey}`;
  key.hidden = false;
}

/** A private window may refuse storage: then single keys work. */
function areSingleKeysOn() {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true;
  }
}

async function openSearch() {
  const { openPalette } = await import("./palette.js");
  openPalette(search);
}

function openShortcuts() {
  dialog.querySelector("[data-single-keys]").checked = areSingleKeysOn();
  dialog.showModal();
}

dialog?.addEventListener("change", (event) => {
  try {
    localStorage.setItem(STORED, event.target.checked ? "on" : "off");
  } catch {
    // Without storage the choice lasts for no page.
  }
});

search?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  openSearch();
});

for (const button of document.querySelectorAll("[data-open=shortcuts]")) {
  button.hidden = false;
  button.addEventListener("click", openShortcuts);
}

const isTyping = (node) => node.isContentEditable || node.matches("input:not([type=checkbox], [type=radio]), textarea, select");
let goSince = 0;

document.addEventListener("keydown", (event) => {
  if (!search || event.defaultPrevented || event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) openSearch();
    return;
  }
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
  if (!isPlain || isTyping(event.target) || document.querySelector("dialog[open]") || !areSingleKeysOn()) return;
  const isGoing = performance.now() - goSince < NEXT_KEY_MS;
  goSince = 0;
  if (isGoing) {
    const target = dialog.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (target) location.assign(target.dataset.to);
  } else if (event.key === "g") {
    goSince = performance.now();
  } else if (event.key === "/") {
    event.preventDefault();
    openSearch();
  } else if (event.key === "?") {
    openShortcuts();
  } else if (event.key === "n") {
    document.querySelector("main .heading a.primary, main .empty a.primary")?.click();
  }
});

// Menus close by Escape and by a click elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
