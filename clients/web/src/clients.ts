/** The clients of a page: the one of `initialize`, and those of elements that bring a key or an edge of their own. */

import { Client, type Options } from "./client.js";

let options: Options | undefined;
const clients = new Map<string, Client>();

/** Remembers the options, and asks nothing. Called again, it replaces them for what is served from then on. */
export function initialize(given: Options): Client {
  options = given;
  clients.clear();
  return clientFor()!;
}

/** Like the one of `initialize`, but for what is given. Undefined where no key is known. */
export function clientFor(publisherKey = options?.publisherKey, edgeUrl = options?.edgeUrl): Client | undefined {
  const name = `${publisherKey} ${edgeUrl}`;
  if (publisherKey && !clients.has(name)) clients.set(name, new Client({ ...options, publisherKey, edgeUrl }));
  return clients.get(name);
}
