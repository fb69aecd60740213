/** What a call came to: a value, for nothing here throws. */

import type { Ad } from "./ad.js";

/**
 * `code`: the edge's own, or `network`, `timeout`, `invalid_response`, `not_initialized`, `invalid_request`, `render`.
 * `status` and `request_id` where the edge answered.
 */
export interface ServiceAdError {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly request_id?: string | undefined;
}

/** No fill is no error: there is no ad for the slot now. Its reason is told to test keys, and where nothing was asked. */
export type ServeOutcome =
  | { readonly status: "filled"; readonly ad: Ad }
  | { readonly status: "no_fill"; readonly reason: string | null }
  | { readonly status: "error"; readonly error: ServiceAdError };

/** A replay is `counted` too: it was, the first time. */
export type TrackOutcome =
  | { readonly status: "counted" }
  | { readonly status: "error"; readonly error: ServiceAdError };
