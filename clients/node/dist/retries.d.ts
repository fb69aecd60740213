/** When a failed request is sent again. The rules are those of `clients/contract`. */
/** A client does not wait longer than this; it throws the error instead. */
export declare const LONGEST_PAUSE_MS = 60000;
/**
 * Pauses are `baseMs × 2^n × (0.5 + random)`, n from 0, and at least `Retry-After`: jitter spreads clients out, and half
 * of the pause is certain.
 */
export interface Retries {
    readonly most: number;
    readonly baseMs: number;
    readonly random: () => number;
}
export declare const USUAL_RETRIES: Retries;
/** The pause before the next attempt, after `retried` retries; null if there is none. */
export declare function pauseMs(retries: Retries, failure: unknown, retried: number, repeatable: boolean): number | null;
/** The wait that the service asked for; 0 where it asked for none. */
export declare function retryAfterMs(failure: unknown): number;
