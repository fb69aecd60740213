/** A client of one edge with one key: it sends requests, and stores the features of the property. */
import type { Ad, EventKind, QualitySignal } from "./ad.js";
import { type Consent } from "./consent.js";
import { type Features } from "./features.js";
import type { ServeOutcome, TrackOutcome } from "./outcome.js";
import { type Answer, type Line } from "./send.js";
import { type ServeRequest } from "./serve-query.js";
export interface Options {
    readonly publisherKey: string;
    /** Default: the edge that the script's host names, else that host itself. */
    readonly edgeUrl?: string | undefined;
    /** A function is called before every serve request. */
    readonly consent?: Consent | (() => Consent | Promise<Consent>) | undefined;
}
export interface Conversion {
    readonly value_cents?: number;
    readonly currency?: string;
    readonly order_id?: string;
}
/** Seconds until features are requested again after a failure. */
export declare const AGAIN_S = 30;
export declare class Client implements Line {
    readonly options: Options;
    readonly _edgeUrl: string;
    _known: Partial<Features>;
    _heldUntil: number;
    _asked?: Promise<void>;
    _featuresEnd: number;
    _mayStore: boolean;
    /** Sends no request. */
    constructor(options: Options);
    serve(request: ServeRequest): Promise<ServeOutcome>;
    /** The request completes even if the page is closed. Its body is text, so that there is no preflight. */
    track(token: string, event: EventKind | QualitySignal, conversion?: Conversion): Promise<TrackOutcome>;
    _count(ad: Ad, event: EventKind): void;
    _send(path: string, query: string, init?: RequestInit, retries?: number): Promise<Answer>;
    /** Values of `options.consent` take precedence over the page's consent APIs. A failure counts as a refusal. */
    _consent(): Promise<Consent>;
    /** Requests features that are missing or out of date. Ads are requested even if that fails. */
    _know(): Promise<void>;
}
