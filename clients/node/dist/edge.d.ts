/** Ads for visitors, and what happens to them. */
import { EdgeOperations } from "./operations.js";
import { type ClientOptions } from "./transport.js";
import type * as types from "./types.js";
/**
 * The visitor's choices as your page or app has them; absent: no signal. Without any, nothing is personalised unless the
 * property's consent policy says so.
 */
export interface Consent {
    gdpr?: boolean;
    /** TC string. */
    gdpr_consent?: string;
    gpp?: string;
    /** Section ids, comma-separated. */
    gpp_sid?: string;
    us_privacy?: string;
    coppa?: boolean;
    /** Or a TC string. */
    lgpd?: boolean | string;
    /** True: do not personalise. */
    npa?: boolean;
    /** Global Privacy Control: the visitor's `Sec-GPC: 1`. */
    gpc?: boolean;
}
/**
 * The person who sees the ad, made once for each request that your server receives. `ip` and `ua` are theirs, not your
 * server's: without them all visitors are where your server is, and the traffic filter judges your server.
 */
export interface Visitor {
    ip?: string;
    ua?: string;
    /** Your own opaque id of them, for frequency caps. */
    uid?: string;
    /** As in `Accept-Language`. */
    lang?: string;
    segments?: readonly string[];
    consent?: Consent;
}
export interface PageOptions {
    keywords?: readonly string[];
    keyValues?: Readonly<Record<string, string | readonly string[]>>;
    /** What the ad is shown on. */
    surface?: types.Open<types.Surface>;
    url?: string;
    /** Test or secret keys. */
    debug?: boolean;
}
export interface ServeOptions extends PageOptions {
    format?: types.Open<types.AdFormat>;
    width?: number;
    height?: number;
    previewAd?: string;
    /** Test keys only. */
    testScenario?: types.Open<types.ServeScenario>;
}
/**
 * `ad` null: no fill, which is no error; show nothing. `noFillReason` and `decisionId` of a no-fill are there for test
 * keys, and for secret keys with `debug`.
 */
export interface Decision {
    readonly ad: types.ServedAd | null;
    readonly noFillReason: types.Open<types.NoFillReason> | null;
    readonly decisionId: string | null;
}
export interface Conversion {
    value_cents?: number;
    currency?: types.TrackRequest["currency"];
    order_id?: string;
}
export interface EdgeOptions extends ClientOptions {
    /** The edge of the key's environment. */
    edgeUrl: string;
}
/** `key`: a secret key (`sk_`), or a publishable key (`pk_`) of a property with server rendering. */
export declare class EdgeClient extends EdgeOperations {
    constructor(key: string, options: EdgeOptions);
    /** The ad for `visitor` in `slot`, which is a key or an id. The consent of `visitor` is sent every time. */
    serve(slot: string, visitor?: Visitor, options?: ServeOptions): Promise<Decision>;
    /** For two to ten slots of one page, in their order; no advertiser comes twice unless there is no other. */
    serveSlots(slots: readonly string[], visitor?: Visitor, options?: PageOptions): Promise<readonly types.SlotAnswer[]>;
    /**
     * Reports `event` of the ad with this `track_token`. It counts once, however often it is sent. `visitor`: who did it;
     * the traffic filter judges by their address and user agent.
     */
    track(token: string, event: types.TrackRequest["event"], visitor?: Visitor, conversion?: Conversion): Promise<void>;
    /** Up to 50 events at once; one result for each, in their order. A refused event throws nothing. */
    trackBatch(events: readonly types.TrackRequest[]): Promise<readonly types.TrackResult[]>;
}
