/** Sends a request to an edge, with retries. Errors are returned as values. */
import { type Features } from "./features.js";
import type { ServiceAdError } from "./outcome.js";
/** Either `_error`, or the body and the no-fill reason of the response. */
export interface Answer {
    _body?: any;
    _reason?: string | null;
    _error?: ServiceAdError;
}
/** State of one key at one edge. `_heldUntil`: the time, in ms since the epoch, before which the edge wants no request of the key. */
export interface Line {
    _known: Partial<Features>;
    _heldUntil: number;
}
/**
 * Retries after 429, 5xx and if there is no response. The pause is `base_ms`, doubled with each retry, times a random 0.5
 * to 1.5, and at least `Retry-After`.
 */
export declare function send(line: Line, url: string, init?: RequestInit, retries?: number): Promise<Answer>;
export declare function wait(ms: number): Promise<void>;
