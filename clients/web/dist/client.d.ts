/** A key at an edge, and what is known of both: where calls go, what they carry, and how long to wait. */
import type { Ad, EventKind, QualitySignal } from "./ad.js";
import { type Consent } from "./consent.js";
import { type Features } from "./features.js";
import type { ServeOutcome, TrackOutcome } from "./outcome.js";
import { type Answer, type Line } from "./send.js";
import { type ServeRequest } from "./serve-query.js";
export interface Options {
    readonly publisherKey: string;
    /** Without it: the edges named by the script's own host, else that host itself. */
    readonly edgeUrl?: string | undefined;
    /** A function is asked before every serve call. */
    readonly consent?: Consent | (() => Consent | Promise<Consent>) | undefined;
}
export interface Conversion {
    readonly value_cents?: number;
    readonly currency?: string;
    readonly order_id?: string;
}
export declare class Client implements Line {
    readonly options: Options;
    readonly _edgeUrl: string;
    _known: Partial<Features>;
    _heldUntil: number;
    _asked?: Promise<void>;
    _featuresEnd: number;
    _mayStore: boolean;
    /** Does nothing but remember. */
    constructor(options: Options);
    serve(request: ServeRequest): Promise<ServeOutcome>;
    /** Outlives the page it is sent from; as text, which costs no preflight. */
    track(token: string, event: EventKind | QualitySignal, conversion?: Conversion): Promise<TrackOutcome>;
    _count(ad: Ad, event: EventKind): void;
    _send(path: string, query: string, init?: RequestInit, retries?: number): Promise<Answer>;
    /** By hand over the page's APIs; where asking goes wrong, a no. */
    _consent(): Promise<Consent>;
    /** Of features that cannot be had nothing is known: then an ad is asked for all the same. */
    _know(): Promise<void>;
}
