/** One call of an edge: tried again while that can help, and given up with an error as a value. */

import { USUAL, type Features } from "./features.js";
import type { ServiceAdError } from "./outcome.js";

/** Longer than this nobody waits for an ad. */
const MOST_MS = 60_000;

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
export async function send(line: Line, url: string, init?: RequestInit, retries?: number): Promise<Answer> {
  for (let tried = 0; ; tried++) {
    const { timeout_ms, retry } = line._known.tracking ?? USUAL;
    const held = line._heldUntil - Date.now();
    if (held > 0) await wait(held);
    let status: number | undefined;
    let pause = 0;
    let _error: ServiceAdError;
    try {
      const signal = AbortSignal.timeout(timeout_ms);
      const response = await fetch(url, { credentials: "omit", signal, ...init });
      const { headers, ok } = response;
      const text = await response.text();
      // What was cut short is no answer.
      ({ status } = response);
      const _body = text && JSON.parse(text);
      if (ok) return { _body, _reason: headers.get("X-No-Fill-Reason") };
      const { code, message, request_id } = _body.error;
      _error = { code, message, status, request_id };
      pause = Number(headers.get("Retry-After")) * 1000;
    } catch (fault) {
      const { name, message } = fault as Error;
      // Where there is a status, it was not the edge that spoke, but something on the way.
      _error = { code: status ? "invalid_response" : name === "TimeoutError" ? "timeout" : "network", message, status };
    }
    if (status && status < 500 && status !== 429) return { _error };
    pause = Math.max(pause || 0, retry.base_ms * 2 ** tried * (0.5 + Math.random()));
    if (status === 429) line._heldUntil = Date.now() + Math.min(pause, MOST_MS);
    if (tried >= (retries ?? retry.max) || pause > MOST_MS) return { _error };
    if (status !== 429) await wait(pause);
  }
}

export function wait(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
