/** Sends calls over pooled connections, and sends them again where that can help. */
import { type Retries } from "./retries.js";
export declare const CLIENT = "node/0.2.0";
export interface ClientOptions {
    /** For a whole request, its response included. */
    timeoutMs?: number;
    retries?: Partial<Retries>;
    /** Your own `fetch`, with an agent or proxy of yours. The usual one keeps connections open and shares them. */
    fetch?: typeof fetch;
    sleep?: (ms: number) => Promise<unknown>;
    /** Milliseconds of a clock that never goes back. */
    clock?: () => number;
}
export interface Call {
    method: string;
    path: string;
    query?: object;
    body?: object;
    headers?: Record<string, string>;
    /** Sent as `If-Match`. */
    version?: number | undefined;
    /** Of a call that creates. */
    creation?: {
        idempotencyKey?: string;
    };
    /** Executing it twice changes nothing more than once does. */
    repeatable?: boolean;
}
export interface Answer<T> {
    headers: Headers;
    /** The parsed JSON; undefined where there is none. */
    body: T;
}
/** One for each key: after a 429, no request is sent with it before the service's pause is over. */
export declare class Transport {
    #private;
    readonly sleep: (ms: number) => Promise<unknown>;
    constructor(url: string, key: string, kinds: readonly string[], usualTimeoutMs: number, options: ClientOptions);
    /** Throws `PlacardError`. */
    send<T>(call: Call): Promise<Answer<T>>;
    /** The body of the response. */
    request<T>(call: Call): Promise<T>;
    /** The items of all pages. A page is requested when the one before is used up. */
    items<T>(path: string, query: object): AsyncGenerator<T, void, undefined>;
}
