/** The clients of a page: the one of `initialize`, and those of elements that bring a key or an edge of their own. */
import { Client, type Options } from "./client.js";
/** Remembers the options, and asks nothing. Called again, it replaces them for what is served from then on. */
export declare function initialize(given: Options): Client;
/** Like the one of `initialize`, but for what is given. Undefined where no key is known. */
export declare function clientFor(publisherKey?: string | undefined, edgeUrl?: string | undefined): Client | undefined;
