// Enhances all pages: the user's time zone, copy buttons, live checks of forms, parts that are refreshed.
// Every page works without it, and nothing here is for one page alone.

// After the first frame, because the first use of Intl takes milliseconds.
requestAnimationFrame(() => setTimeout(() => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.cookie = `placard_timezone=${encodeURIComponent(zone)}; Path=/; Max-Age=31536000; SameSite=Lax`;
}));

// "/" redirects to the environment that was shown last. An embedded window is in another site and sets no cookie.
const { environment } = document.documentElement.dataset;
if (environment && window.parent === window) {
  document.cookie = `placard_environment=${environment}; Path=/; Max-Age=31536000; SameSite=Lax`;
}

// How a page loads another: with the browser's cookie, or in an embedded window with its bearer, which sets `by`.
// Modules that enhance a page also listen for `placard:shown` on the document: a window replaces pages without a reload.
let by = {};
let at = null;
let moveBy = (address) => location.assign(address);

export function loadBy(headers) {
  by = headers;
}

/** Headers of a request that does not use `load`. */
export function sentAlong() {
  return { ...by };
}

/** The address of the page that is shown; a window's own address never changes. */
export function here() {
  return at ?? location.href;
}

export function lookAt(address) {
  at = address;
}

/** Goes to another page, in the window or in the browser. */
export function go(address) {
  moveBy(address);
}

export function goBy(move) {
  moveBy = move;
}

export async function load(address, options = {}) {
  const credentials = by.Authorization ? "omit" : "same-origin";
  return fetch(address, { redirect: "follow", credentials, ...options, headers: { ...by, ...options.headers } });
}

// A field that the browser refuses must be visible: folded sections around it open.
document.addEventListener(
  "invalid",
  (event) => {
    for (let part = event.target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  },
  true,
);

/** The page as the server would show it now, as a document that is not shown. */
async function page(address, options) {
  const answer = await load(address, options);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Replaces the parts with these ids by those of *fresh*, except a part that has the focus or updates itself. */
function swap(fresh, ids) {
  for (const id of ids) {
    const old = document.getElementById(id);
    const now = fresh.getElementById(id);
    if (!old || !now || isDone(old) || old.contains(document.activeElement)) continue;
    const taken = !old.dispatchEvent(new CustomEvent("placard:fresh", { bubbles: true, cancelable: true, detail: now }));
    if (!taken) old.replaceWith(document.adoptNode(now));
  }
}

// <section id=… data-every="5">: reloaded every so many seconds while the page is visible; with data-until="SELECTOR",
// only while it has no such element.
const dues = new Map();
const isDone = (part) => Boolean(part.dataset.until && part.querySelector(part.dataset.until));
setInterval(async () => {
  if (document.hidden) return;
  const due = [...document.querySelectorAll("[data-every]")].filter((part) => {
    if (isDone(part)) return false;
    const every = Number(part.dataset.every) * 1000;
    const last = dues.get(part.id) ?? performance.timeOrigin + performance.now();
    if (!dues.has(part.id)) dues.set(part.id, last);
    return Date.now() - last >= every;
  });
  if (!due.length) return;
  for (const part of due) dues.set(part.id, Date.now());
  try {
    swap(await page(here(), { headers: { "Placard-Refresh": "1" } }), due.map((part) => part.id));
    enhance(document);
  } catch {
    // The next turn tries again.
  }
}, 1000);

// <form data-check>: what was typed is judged by the API's own rules as it is typed.
const touched = new WeakMap();
let waiting;
document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form[data-check]");
  if (!form || !event.target.name) return;
  if (!touched.has(form)) touched.set(form, new Set());
  touched.get(form).add(event.target.name);
  clearTimeout(waiting);
  waiting = setTimeout(() => judge(form), 400);
});

async function judge(form) {
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  let fresh;
  try {
    fresh = await page(form.action, { method: "POST", body, headers: { "Placard-Check": "1" } });
  } catch {
    return;
  }
  for (const name of touched.get(form)) {
    const old = form.querySelector(`[data-error="${CSS.escape(name)}"]`);
    const now = fresh.querySelector(`[data-error="${CSS.escape(name)}"]`);
    if (!old || !now) continue;
    old.textContent = now.textContent;
    for (const input of form.elements) {
      if (input.name === name) input.setAttribute("aria-invalid", String(Boolean(now.textContent)));
    }
  }
  for (const part of form.querySelectorAll("[data-checked]")) swap(fresh, [part.id]);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const words = button.textContent;
  button.textContent = "✓";
  setTimeout(() => (button.textContent = words), 1500);
});

// <form method=get data-now>: a filter without a button. Fields in <details data-later> apply when it closes.
const changed = new WeakSet();
document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-now]");
  const later = event.target.closest?.("details[data-later]");
  if (form && later) changed.add(later);
  else form?.requestSubmit();
});
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!target.open && changed.has(target)) target.closest("form").requestSubmit();
  },
  true,
);

// <fieldset data-renews="ID">: after a choice, the part with this id is reloaded for the form's present values.
document.addEventListener("change", async (event) => {
  const container = event.target.closest?.("[data-renews]");
  const part = container && document.getElementById(container.dataset.renews);
  if (!part) return;
  const form = part.closest("form");
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  body.set("act", "format");
  part.setAttribute("aria-busy", "true");
  const chosen = event.target.value;
  try {
    const fresh = await page(form.action, { method: "POST", body });
    if (container.querySelector(":checked")?.value !== chosen) return;
    part.replaceWith(document.adoptNode(fresh.getElementById(part.id)));
    enhance(document);
    document.dispatchEvent(new CustomEvent("placard:shown"));
  } catch {
    part.removeAttribute("aria-busy"); // the next choice tries again
  }
});

// A form sends which of its folded sections are open, so that they still are when it is shown again with errors.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.method !== "post") return;
  for (const part of target.querySelectorAll("details[id^=part-]")) {
    formData.append(`open.${part.id.slice("part-".length)}`, Number(part.open));
  }
});

// The first field of a refused form has the focus, once all modules have put their own fields in place.
document.addEventListener("DOMContentLoaded", () => {
  const links = [...document.querySelectorAll('main [role=alert] a[href^="#f-"]')];
  const fields = links.map((link) => document.getElementById(link.getAttribute("href").slice(1))).filter(Boolean);
  fields.sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1));
  const field = fields[0]?.matches("fieldset") ? fields[0].querySelector("input:not([hidden])") : fields[0];
  field?.focus();
});

// The address of a filtered page contains the chosen fields only.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.method !== "get") return;
  for (const [name, value] of [...formData]) {
    if (value !== "") continue;
    const kept = formData.getAll(name).filter((one) => one !== "");
    formData.delete(name);
    for (const one of kept) formData.append(name, one);
  }
});

// Panels and menus close by Escape, and by a click elsewhere.
function closePanels(except) {
  for (const one of document.querySelectorAll("details[name=panel][open]")) if (!one.contains(except)) one.open = false;
}
document.addEventListener("click", (event) => closePanels(event.target));
document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && event.target.closest?.("details[name=panel][open]");
  if (!panel) return;
  panel.open = false;
  panel.querySelector("summary").focus();
});

// A page that does not come at once is announced: by a line at the top, and to screen readers. What is there stays usable.
// The same page with other figures has the shape of the one that is shown: site.css turns figures of a busy part into bars.
const SOON_MS = 300;
const LONGEST_MS = 60_000; // a link to a file changes no page
let announced, busy;
function announce(event, address) {
  clearTimeout(announced);
  if (event.target.dataset?.download !== undefined) return; // a form that is answered with a file
  if (address && new URL(address).pathname === location.pathname) setTimeout(() => event.defaultPrevented || setBusy());
  announced = setTimeout(() => {
    if (event.defaultPrevented || document.querySelector(".loading")) return;
    const line = document.createElement("p");
    line.className = "loading";
    line.setAttribute("role", "status");
    document.body.append(line);
    line.textContent = document.documentElement.dataset.loading;
    announced = setTimeout(settle, LONGEST_MS);
  }, SOON_MS);
}

function setBusy() {
  busy = document.getElementById("main");
  busy?.setAttribute("aria-busy", "true");
}

/** No page is coming any more. */
function settle() {
  clearTimeout(announced);
  busy?.removeAttribute("aria-busy");
  busy = null;
  document.querySelector(".loading")?.remove();
}

document.addEventListener("submit", (event) => announce(event, event.target.method === "get" && event.target.action));
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]:not([target], [download])");
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (link && !isElsewhere && link.href.split("#")[0] !== location.href.split("#")[0]) announce(event, link.href);
});
addEventListener("pageshow", settle);
addEventListener("keydown", ({ key }) => key === "Escape" && settle()); // the browser stops loading, too

// A form is sent once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true)));
  setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = false)), 5000);
});

export function enhance(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
  for (const menu of root.querySelectorAll("details.nav:not([data-ready])")) {
    menu.open = matchMedia("(min-width: 50.01rem)").matches;
    menu.dataset.ready = "";
  }
}
enhance(document);

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

let typedAhead = null; // while the palette is loaded

async function openSearch() {
  if (typedAhead) return;
  typedAhead = [];
  try {
    const { openPalette } = await import("./palette.js");
    openPalette(search, typedAhead);
  } finally {
    typedAhead = null;
  }
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
let goSince = -Infinity;

document.addEventListener("keydown", (event) => {
  if (!search || event.defaultPrevented || event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) openSearch();
    return;
  }
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
  if (typedAhead && isPlain) {
    event.preventDefault();
    typedAhead.push(event.key);
    return;
  }
  if (!isPlain || isTyping(event.target) || document.querySelector("dialog[open]") || !areSingleKeysOn()) return;
  const isGoing = performance.now() - goSince < NEXT_KEY_MS;
  goSince = -Infinity;
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
  for (const menu of document.querySelectorAll("details:is(.menu, .popover)[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details:is(.menu, .popover)[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
