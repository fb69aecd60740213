/** Shows the result of each element on the page. Loaded only with `?service_ad_debug=1`. */

import type { ServiceAd } from "./element.js";

const CSS =
  ":host{all:initial;position:fixed;inset:auto 0 0 auto;z-index:2147483647;max-block-size:50vh;overflow:auto;" +
  "font:12px/1.4 ui-monospace,monospace;color:#fff;background:#111;padding:.5em;max-inline-size:100vw}" +
  "table{border-spacing:.8em .1em}th{text-align:start}";
const EVENTS = ["load", "empty", "error", "impression", "viewable", "click"];
const HEADS = ["slot", "key", "outcome", "why", "answered in", "events"];

/** Shows nothing about the reader, and only the kind and the last characters of a key. */
export function overlay(): void {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  const table = document.createElement("table");
  root.append(table);
  const events = new WeakMap<EventTarget, string[]>();
  const draw = (): void => table.replaceChildren(head(), ...elements().map((one) => row(one, events.get(one) ?? [])));
  for (const name of EVENTS)
    document.addEventListener(`ad-${name}`, ({ target }) => {
      if (!target) return;
      events.set(target, [...(events.get(target) ?? []), name]);
      draw();
    });
  document.body.append(host);
  draw();
}

function elements(): ServiceAd[] {
  return [...document.querySelectorAll("service-ad")];
}

function head(): HTMLTableRowElement {
  const row = document.createElement("tr");
  for (const name of HEADS) row.append(Object.assign(document.createElement("th"), { textContent: name }));
  return row;
}

function row(element: ServiceAd, events: readonly string[]): HTMLTableRowElement {
  const made = document.createElement("tr");
  const slot = element.getAttribute("slot-id") ?? "";
  const key = element.getAttribute("publisher-key") ?? "of initialize()";
  const cells = [
    slot,
    key.replace(/^(pk_\w+?_).*(.{4})$/, "$1…$2"),
    element.dataset["state"] ?? "waiting to come near",
    why(element),
    answeredIn(slot),
    events.join(" "),
  ];
  for (const text of cells) made.insertCell().textContent = text;
  return made;
}

function why({ outcome }: ServiceAd): string {
  if (!outcome) return "";
  if (outcome.status === "filled") return `ad ${outcome.ad.ad_id} by ${outcome.ad.source}`;
  if (outcome.status === "no_fill") return outcome.reason ?? "reasons are told to test keys";
  const { code, message, request_id } = outcome.error;
  return `${code}: ${message}${request_id ? ` (${request_id})` : ""}`;
}

function answeredIn(slot: string): string {
  const asked = performance.getEntriesByType("resource").filter(({ name }) => {
    const { pathname, searchParams } = new URL(name);
    return pathname.endsWith("/v1/serve") && searchParams.get("slot") === slot;
  });
  const last = asked.at(-1);
  return last ? `${Math.round(last.duration)} ms` : "";
}
