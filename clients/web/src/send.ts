/** Sends a request to an edge, with retries. Errors are returned as values. */

import { USUAL, type Features } from "./features.js";
import type { ServiceAdError } from "./outcome.js";

/** The longest pause before a retry. */
const MOST_MS = 60_000;

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
      // A truncated response counts as none.
      ({ status } = response);
      // Before the body is read: a proxy's may be no JSON.
      pause = Number(headers.get("Retry-After")) * 1000;
      const _body = text && JSON.parse(text);
      if (ok) return { _body, _reason: headers.get("X-No-Fill-Reason") };
      const { code, message, request_id } = _body.error;
      _error = { code, message, status, request_id };
    } catch (fault) {
      const { name, message } = fault as Error;
      // With a status, the response is not from the edge but from a proxy on the way.
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
