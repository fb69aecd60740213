/** The clients of a page: that of `initialize`, and those of elements with their own key or edge. */

import { Client, type Options } from "./client.js";

let options: Options | undefined;
const clients = new Map<string, Client>();

/** Stores the options and sends no request. Another call replaces them for later requests. */
export function initialize(given: Options): Client {
  options = given;
  clients.clear();
  return clientFor()!;
}

/** The client of `initialize`, with the given values instead of its own. Undefined if there is no key. */
export function clientFor(publisherKey = options?.publisherKey, edgeUrl = options?.edgeUrl): Client | undefined {
  const name = `${publisherKey} ${edgeUrl}`;
  if (publisherKey && !clients.has(name)) clients.set(name, new Client({ ...options, publisherKey, edgeUrl }));
  return clients.get(name);
}
