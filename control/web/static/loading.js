// How a page asks for another: with the browser's cookie here, with its bearer in an embedded window, which sets `by`.
let by = {};

export function loadBy(headers) {
  by = headers;
}

export async function load(address, options = {}) {
  return fetch(address, { redirect: "follow", ...options, headers: { ...by, ...options.headers } });
}
