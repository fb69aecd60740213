/** When a failed request is sent again. The rules are those of `clients/contract`. */

import { ApiError, NetworkError } from "./errors.js";

/** A client does not wait longer than this; it throws the error instead. */
export const LONGEST_PAUSE_MS = 60_000;

/**
 * Pauses are `baseMs × 2^n × (0.5 + random)`, n from 0, and at least `Retry-After`: jitter spreads clients out, and half
 * of the pause is certain.
 */
export interface Retries {
  readonly most: number;
  readonly baseMs: number;
  readonly random: () => number;
}

export const USUAL_RETRIES: Retries = { most: 3, baseMs: 500, random: Math.random };

/** The pause before the next attempt, after `retried` retries; null if there is none. */
export function pauseMs(retries: Retries, failure: unknown, retried: number, repeatable: boolean): number | null {
  if (retried >= retries.most || !mayRepeat(failure, repeatable)) return null;
  const own = Math.round(retries.baseMs * 2 ** retried * (0.5 + retries.random()));
  const pause = Math.max(own, retryAfterMs(failure));
  return pause <= LONGEST_PAUSE_MS ? pause : null;
}

/** The wait that the service asked for; 0 where it asked for none. */
export function retryAfterMs(failure: unknown): number {
  return failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
}

/**
 * `repeatable`: a second execution changes nothing. Other requests are sent again only if the first was not executed: it
 * did not leave, or was refused before any work.
 */
function mayRepeat(failure: unknown, repeatable: boolean): boolean {
  if (failure instanceof NetworkError) return repeatable || !failure.wasSent;
  if (!(failure instanceof ApiError)) return false;
  if (failure.status === 429 || ["unavailable", "idempotency_in_progress"].includes(failure.code)) return true;
  return repeatable && failure.status >= 500;
}
