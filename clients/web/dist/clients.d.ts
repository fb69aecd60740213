/** The clients of a page: that of `initialize`, and those of elements with their own key or edge. */
import { Client, type Options } from "./client.js";
/** Stores the options and sends no request. Another call replaces them for later requests. */
export declare function initialize(given: Options): Client;
/** The client of `initialize`, with the given values instead of its own. Undefined if there is no key. */
export declare function clientFor(publisherKey?: string | undefined, edgeUrl?: string | undefined): Client | undefined;
