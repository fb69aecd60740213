// How a page asks for another: with the browser's cookie here, with its bearer in an embedded window, which sets `by`.
// Modules that enhance a page listen for `placard:shown` on the document, too: a window swaps pages without a reload.
let by = {};
let at = null;
let moveBy = (address) => location.assign(address);

export function loadBy(headers) {
  by = headers;
}

/** What to send along where something is asked for without `load`. */
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

/** Looks at another page, whichever way pages are changed here. */
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
