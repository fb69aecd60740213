/** Ads of an edge, for pages and servers. Loading this does nothing; nothing here throws. */
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
/** Asks for an ad. Counts nothing: show it, then `track` its impression. */
export declare function serve(request: ServeRequest, client?: Client | undefined): Promise<ServeOutcome>;
/** Redeems the ad's token, once for each kind of event; tried again until the edge has it. */
export declare function track(ad: Pick<Ad, "track_token">, event: EventKind | QualitySignal, conversion?: Conversion, client?: Client | undefined): Promise<TrackOutcome>;
