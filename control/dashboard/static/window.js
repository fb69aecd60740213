// An embedded window. Only this module has its bearer. It loads the pages of links and forms with the bearer and replaces
// the page in the window. It posts messages to the host, at exactly the origin that may frame the window.
import { enhance, goBy, load, loadBy, lookAt } from "./screens.js";

const block = document.getElementById("window");
const { origin, bearer, start, code } = JSON.parse(block.textContent);
block.remove();
history.replaceState(null, "", location.pathname);
const words = document.getElementById("window-words").dataset;
const isFramed = window.parent !== window;
let isOver = !bearer;

function notifyHost(type, more = {}) {
  if (isFramed && origin) window.parent.postMessage({ type, ...more }, origin);
}

function isOurs(url) {
  return url.origin === location.origin && url.pathname.startsWith("/embed/s/");
}

/** Shows the page at *address*. *keep* is `push` or `replace`: how the browser's history records it. */
async function show(address, options = {}, keep = "push") {
  if (isOver) return;
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true");
  let answer, text;
  try {
    answer = await load(address, options);
    text = await answer.text();
  } catch {
    stop("unavailable", words.away, () => show(address, options, keep));
    return;
  }
  if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/html")) {
    refuse(answer, text, () => show(address, options, keep));
    return;
  }
  const url = new URL(answer.url);
  if (options.method === "POST" && answer.redirected && url.searchParams.get("saved")) {
    notifyHost("saved", { campaign_id: url.searchParams.get("saved") });
  }
  const isPage = options.method !== "POST" || answer.redirected;
  if (isPage) {
    const shown = url.pathname + url.search;
    lookAt(shown);
    history[keep === "push" ? "pushState" : "replaceState"]({ shown }, "");
  }
  await put(new DOMParser().parseFromString(text, "text/html"));
}

async function put(fresh) {
  const focused = document.activeElement?.id;
  await takeStyles(fresh);
  const now = document.adoptNode(fresh.getElementById("main"));
  document.getElementById("main").replaceWith(now);
  document.title = fresh.title;
  const target = (focused && document.getElementById(focused)) || now.querySelector("[role=alert] a, [autofocus]") || now;
  target.focus({ preventScroll: target !== now });
  takeModules(fresh);
  enhance(document);
  document.dispatchEvent(new CustomEvent("placard:shown"));
}

async function takeStyles(fresh) {
  const known = new Set([...document.querySelectorAll("link[rel=stylesheet]")].map((link) => link.href));
  const missing = [...fresh.querySelectorAll("head link[rel=stylesheet]")].filter((link) => !known.has(link.href));
  await Promise.all(
    missing.map((link) => new Promise((done) => {
      const taken = document.createElement("link");
      taken.rel = "stylesheet";
      taken.href = link.getAttribute("href");
      taken.onload = taken.onerror = done;
      document.head.append(taken);
    })),
  );
}

/** A module that is loaded already does not run again: it listens for `placard:shown`. */
function takeModules(fresh) {
  for (const script of fresh.querySelectorAll("head script[type=module][src]")) import(script.src);
}

function refuse(answer, text, again) {
  let error;
  try {
    error = JSON.parse(text).error;
  } catch {
    error = { code: "internal", message: words.failed };
  }
  isOver = [401, 410].includes(answer.status) || ["key_revoked", "tenant_suspended"].includes(error.code);
  stop(answer.status === 410 ? "session_expired" : error.code, error.message, isOver ? null : again);
}

/** Shows the error to the user, and posts it to the host. */
function stop(what, message, again) {
  const main = document.getElementById("main");
  const heading = document.createElement("h1");
  heading.textContent = isOver ? words.ended : words.failed;
  const sentence = document.createElement("p");
  sentence.setAttribute("role", "alert");
  sentence.textContent = message;
  main.removeAttribute("aria-busy");
  main.replaceChildren(heading, sentence);
  if (again) {
    const button = document.createElement("button");
    button.textContent = words.again;
    button.addEventListener("click", again);
    main.append(button);
  }
  main.focus();
  notifyHost("error", { code: what, message });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin === location.origin && url.pathname === location.pathname && url.hash) return;
  event.preventDefault();
  if (isOurs(url)) show(url.pathname + url.search);
  else window.open(url, "_blank", "noopener");
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method === "dialog") return;
  event.preventDefault();
  const url = new URL(form.action);
  if (!isOurs(url)) return;
  const fields = new FormData(form, event.submitter);
  if (form.method !== "post") {
    url.search = new URLSearchParams([...fields].filter(([, value]) => value !== ""));
    show(url.pathname + url.search);
    return;
  }
  const body = form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
  show(url.pathname + url.search, { method: "POST", body });
});

window.addEventListener("popstate", (event) => {
  if (event.state?.shown) show(event.state.shown, {}, "replace");
});

const close = document.getElementById("window-close");
close.hidden = !isFramed;
close.addEventListener("click", () => notifyHost("closed"));

new ResizeObserver(() => {
  notifyHost("resize", { height: Math.ceil(document.body.getBoundingClientRect().height) });
}).observe(document.body);

if (isOver) {
  notifyHost("error", { code, message: document.getElementById("window-trouble").textContent });
} else {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  loadBy({ Authorization: `Bearer ${bearer}`, "Placard-Timezone": encodeURIComponent(zone) });
  goBy(show);
  await show(start, {}, "replace");
  if (!isOver) notifyHost("ready");
}
