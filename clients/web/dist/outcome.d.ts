/** The result of a call, as a value: no function throws. */
import type { Ad } from "./ad.js";
/**
 * `code`: that of the edge, or `network`, `timeout`, `invalid_response`, `not_initialized`, `invalid_request`, `render`.
 * `status` and `request_id` if the edge responded.
 */
export interface ServiceAdError {
    readonly code: string;
    readonly message: string;
    readonly status?: number | undefined;
    readonly request_id?: string | undefined;
}
/**
 * `no_fill` is no error: there is no ad for the slot now. `reason` is null with live keys, unless the library sent no
 * request.
 */
export type ServeOutcome = {
    readonly status: "filled";
    readonly ad: Ad;
} | {
    readonly status: "no_fill";
    readonly reason: string | null;
} | {
    readonly status: "error";
    readonly error: ServiceAdError;
};
/** A repeated event is `counted` too: the edge counted the first one. */
export type TrackOutcome = {
    readonly status: "counted";
} | {
    readonly status: "error";
    readonly error: ServiceAdError;
};
