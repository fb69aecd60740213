/** Requests ads and tracks events. Importing this has no side effects, and no function throws or rejects. */
import type { Ad, EventKind, QualitySignal } from "./ad.js";
import type { Client, Conversion } from "./client.js";
import type { ServeOutcome, TrackOutcome } from "./outcome.js";
import type { ServeRequest } from "./serve-query.js";
export type { Ad, Cap, Content, EventKind, Format, Medium, QualitySignal } from "./ad.js";
export type { Client, Conversion, Options } from "./client.js";
export type { Consent } from "./consent.js";
export type { ServeOutcome, ServiceAdError, TrackOutcome } from "./outcome.js";
export type { ServeRequest } from "./serve-query.js";
export { initialize } from "./clients.js";
export { VERSION } from "./features.js";
/** Requests an ad. It counts no event: show the ad, then `track` its impression. */
export declare function serve(request: ServeRequest, client?: Client | undefined): Promise<ServeOutcome>;
/** Reports an event of the ad. The edge counts each kind once for a token. Failed requests are retried. */
export declare function track(ad: Pick<Ad, "track_token">, event: EventKind | QualitySignal, conversion?: Conversion, client?: Client | undefined): Promise<TrackOutcome>;
