// <section data-stream="ADDRESS">: rows arrive by an event stream and are inserted first in its table. Without EventSource,
// or if there is no stream, the section is reloaded instead (`data-every`, see screens.js).
import { load, here } from "./screens.js";

const MOST = 50;
const PAUSE_MS = 3000;
let source = null;
let waiting;

function section() {
  return document.querySelector("[data-stream]");
}

function follow() {
  const part = section();
  if (!part || source || document.hidden || !window.EventSource) return;
  source = new EventSource(part.dataset.stream);
  source.addEventListener("open", () => section()?.removeAttribute("data-every"));
  source.addEventListener("message", (event) => put(event.data));
  source.addEventListener("end", (event) => {
    const { code } = JSON.parse(event.data);
    leave();
    if (["invalid_key", "tenant_suspended", "permission_denied"].includes(code)) say();
    else later();
  });
  source.addEventListener("error", () => {
    if (source?.readyState !== EventSource.CLOSED) return; // the browser connects again, with its last id
    leave();
    part.dataset.every = part.dataset.otherwise;
    later(10 * PAUSE_MS);
  });
}

function leave() {
  source?.close();
  source = null;
}

function put(text) {
  const rows = document.createElement("template");
  rows.innerHTML = `<table><tbody>${text}</tbody></table>`;
  const body = section()?.querySelector("tbody");
  if (!body) {
    renew();
    return;
  }
  const fresh = [...rows.content.querySelectorAll("tr")].filter((row) => !document.getElementById(row.id));
  body.prepend(...fresh);
  for (const row of [...body.rows].slice(MOST)) if (!row.contains(document.activeElement)) row.remove();
}

/** Reloads the section, and opens a stream from there on. */
async function renew() {
  leave();
  try {
    const answer = await load(here());
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.querySelector("[data-stream]");
    if (!now) return say();
    section()?.replaceWith(document.adoptNode(now));
    follow();
  } catch {
    later();
  }
}

function later(ms = PAUSE_MS) {
  clearTimeout(waiting);
  waiting = setTimeout(renew, ms);
}

/** Shows why no more rows arrive. */
function say() {
  const part = section();
  if (!part) return;
  part.removeAttribute("data-every");
  part.removeAttribute("data-stream");
  document.getElementById("following").replaceChildren(document.getElementById("followed-no-more").content.cloneNode(true));
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(waiting);
  if (document.hidden) leave();
  else if (section()) renew();
});
addEventListener("pagehide", leave);
follow();
