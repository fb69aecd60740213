// The reader's consent, and the panel with each decision of the page and each event as it arrives.
import { initialize } from "/sdk/placard.js";

const CONSENT = "demo-consent";
const SIGNALS = { accepted: { lgpd: true }, rejected: { lgpd: false } };
const REFRESH_MS = 1000;
const MOST = 60;
const NEAR_PX = 40;
const panel = document.getElementById("log");
const words = Object.fromEntries([...document.querySelectorAll("#log-words > div")].map((one) => [...one.children].map((part) => part.textContent)));
const clock = new Intl.DateTimeFormat(panel.dataset.locale, { timeStyle: "medium" });
const decisions = new Map();
const events = new Set();

// This runs before the elements send their first requests, which wait for the end of all scripts.
initialize({ publisherKey: document.querySelector("service-ad").getAttribute("publisher-key"), consent: () => SIGNALS[localStorage.getItem(CONSENT)] ?? {} });

function showConsent() {
  const chosen = localStorage.getItem(CONSENT);
  const carried = document.getElementById("carried");
  carried.textContent = chosen ? `lgpd=${+SIGNALS[chosen].lgpd}` : carried.dataset.none;
  for (const button of document.querySelectorAll("[data-consent]")) button.ariaPressed = `${button.dataset.consent === chosen}`;
}

for (const button of document.querySelectorAll("[data-consent]")) {
  button.disabled = false;
  button.addEventListener("click", () => {
    localStorage.setItem(CONSENT, button.dataset.consent);
    showConsent();
    for (const ad of document.querySelectorAll("service-ad")) ad.replaceWith(ad.cloneNode(true));
  });
}
showConsent();

function fill(template, values) {
  const made = document.getElementById(template).content.firstElementChild.cloneNode(true);
  for (const [name, text] of Object.entries(values)) {
    const part = made.querySelector(`[data-of="${name}"]`);
    if (text) part.textContent = text;
    else part.remove();
  }
  return made;
}

// The oldest decisions of this page stay on top, so that nothing moves while the reader looks at it.
function add(list, entry, count) {
  list.append(entry);
  while (list.children.length > MOST) list.firstElementChild.remove();
  document.getElementById(count).textContent = list.children.length;
}

// As the browser measured it and as it was sent: what the request carried, and how long its response took.
function requestOf(slot) {
  const sent = performance.getEntriesByType("resource").findLast(({ name }) => {
    const url = new URL(name);
    return url.pathname === "/v1/serve" && url.searchParams.get("slot") === slot;
  });
  const query = sent && new URL(sent.name).searchParams;
  const carried = ["lgpd", "npa", "seen"].filter((name) => query?.has(name)).map((name) => `${name}=${query.get(name)}`);
  return { carried: carried.join(" ") || words.none, waited: sent && words.ms.replace("{ms}", Math.round(sent.duration)) };
}

function decide(element, winner) {
  const slot = element.getAttribute("slot-id");
  const place = element.closest("figure").querySelector("figcaption").textContent;
  const entry = fill("log-decision", { place, time: clock.format(), winner, ...requestOf(slot) });
  const atEnd = panel.scrollTop > 0 && panel.scrollHeight - panel.scrollTop - panel.clientHeight < NEAR_PX;
  add(document.getElementById("log-own"), entry, "log-count");
  if (atEnd) panel.scrollTop = panel.scrollHeight;
  return entry;
}

document.addEventListener("ad-load", ({ target, detail: { ad } }) => {
  const { title, alt } = ad.content;
  decisions.set(ad.decision_id, decide(target, [title ?? alt, words[ad.source] ?? ad.source].filter(Boolean).join(" · ")));
});
document.addEventListener("ad-empty", ({ target, detail: { reason } }) => decide(target, reason ? words[reason] ?? reason : words.empty));
document.addEventListener("ad-error", ({ target, detail: { error } }) => decide(target, `${words.error} ${error.message}`));
document.addEventListener("ad-viewable", ({ detail: { ad } }) => {
  const entry = decisions.get(ad.decision_id);
  if (entry) entry.querySelector(".seen").textContent = `· ${words.viewable}`;
});

function showEvent(event) {
  const { id, decision_id, at_ms, kind, result, explanation, price, is_valid, environment, ad, campaign, slot } = event;
  if (events.has(id)) return;
  events.add(id);
  const own = decisions.get(decision_id);
  const about = own ? [ad, campaign] : [environment === "test" ? "TEST" : "", ad, campaign, slot];
  const link = `${kind}, ${slot}`;
  const row = fill("log-event", { kind, result, price, explanation: is_valid ? "" : explanation, about: about.filter(Boolean).join(" · "), link, time: clock.format(at_ms) });
  row.dataset.isValid = is_valid;
  row.querySelector("a").href = event.url;
  if (own) return own.querySelector("ul").append(row);
  const entry = document.createElement("li");
  entry.append(document.createElement("ul"));
  entry.firstElementChild.append(row);
  add(document.getElementById("log-others"), entry, "others-count");
}

async function refresh() {
  const answer = await fetch("/demo/events");
  if (!answer.ok) {
    document.getElementById("log-remote").hidden = false;
    clearInterval(timer);
    return;
  }
  const { data } = await answer.json();
  data.reverse().forEach(showEvent);
}

panel.open = matchMedia("(width >= 80rem)").matches;
panel.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  panel.open = false;
  panel.querySelector("summary").focus();
});
const timer = setInterval(refresh, REFRESH_MS);
refresh();
