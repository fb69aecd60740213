/** One call of an edge: tried again while that can help, and given up with an error as a value. */
import { type Features } from "./features.js";
import type { ServiceAdError } from "./outcome.js";
/** `_error` or, from the edge, what it said. */
export interface Answer {
    _body?: any;
    _reason?: string | null;
    _error?: ServiceAdError;
}
/** Of one key at one edge. `_heldUntil`, since the epoch: the edge asked for a pause, which all calls keep. */
export interface Line {
    _known: Partial<Features>;
    _heldUntil: number;
}
/**
 * Tries again after 429, 5xx and where no answer came: after `base_ms`, doubled with each try, times 0.5 to 1.5 by
 * chance, and not before `Retry-After`.
 */
export declare function send(line: Line, url: string, init?: RequestInit, retries?: number): Promise<Answer>;
export declare function wait(ms: number): Promise<void>;
