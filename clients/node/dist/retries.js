/** When a failed request is sent again. The rules are those of `clients/contract`. */
import { ApiError, NetworkError } from "./errors.js";
/** A client does not wait longer than this; it throws the error instead. */
export const LONGEST_PAUSE_MS = 60_000;
export const USUAL_RETRIES = { most: 3, baseMs: 500, random: Math.random };
/** The pause before the next attempt, after `retried` retries; null if there is none. */
export function pauseMs(retries, failure, retried, repeatable) {
    if (retried >= retries.most || !mayRepeat(failure, repeatable))
        return null;
    const own = Math.round(retries.baseMs * 2 ** retried * (0.5 + retries.random()));
    const pause = Math.max(own, retryAfterMs(failure));
    return pause <= LONGEST_PAUSE_MS ? pause : null;
}
/** The wait that the service asked for; 0 where it asked for none. */
export function retryAfterMs(failure) {
    return failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0;
}
/**
 * `repeatable`: a second execution changes nothing. Other requests are sent again only if the first was not executed: it
 * did not leave, or was refused before any work.
 */
function mayRepeat(failure, repeatable) {
    if (failure instanceof NetworkError)
        return repeatable || !failure.wasSent;
    if (!(failure instanceof ApiError))
        return false;
    if (failure.status === 429 || ["unavailable", "idempotency_in_progress"].includes(failure.code))
        return true;
    return repeatable && failure.status >= 500;
}
