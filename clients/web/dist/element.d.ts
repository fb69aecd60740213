/** `<service-ad>`, the element that shows an ad. Importing this defines it if there is a DOM, and does nothing on a server. */
import type { Ad, EventKind, QualitySignal } from "./ad.js";
import { type Client } from "./client.js";
import type { ServeOutcome, ServiceAdError } from "./outcome.js";
import type { ServeRequest } from "./serve-query.js";
export interface ServiceAdEvents {
    "ad-load": CustomEvent<{
        ad: Ad;
    }>;
    "ad-empty": CustomEvent<{
        reason: string | null;
    }>;
    "ad-error": CustomEvent<{
        error: ServiceAdError;
    }>;
    "ad-impression": CustomEvent<{
        ad: Ad;
    }>;
    "ad-viewable": CustomEvent<{
        ad: Ad;
    }>;
    "ad-click": CustomEvent<{
        ad: Ad;
    }>;
}
declare global {
    interface HTMLElementTagNameMap {
        "service-ad": ServiceAd;
    }
    interface HTMLElementEventMap extends ServiceAdEvents {
    }
}
declare const Element: typeof HTMLElement;
/**
 * Its children are fallback content: they are shown until an ad loads, and when there is none. `outcome` is the latest
 * result, and the attribute `data-state` its short form: `loading`, `filled`, `empty` or `error`.
 */
export declare class ServiceAd extends Element {
    static readonly observedAttributes: string[];
    outcome?: ServeOutcome;
    _client: Client | undefined;
    _ad: Ad | undefined;
    _box: HTMLElement;
    _life: number;
    _counted: boolean;
    _viewed: boolean;
    _stop: (() => void) | undefined;
    connectedCallback(): void;
    disconnectedCallback(): void;
    /** Another slot requests another ad. Changes in one task count as one change. */
    attributeChangedCallback(_name: string, before: string | null, after: string | null): void;
    _begin(): void;
    /** Reserves the space before the first request, and keeps it. */
    _reserve(): void;
    _fallBack(): void;
    /** Undefined if it is empty, as a template without a value leaves it. */
    _attribute(name: string): string | undefined;
    _request(room?: number): ServeRequest;
    /** An ad that is shown stays until there is another. *height*: pixels it takes, if the page sets no height. */
    _show(life: number, height?: number): Promise<void>;
    /** Refreshes the ad if the slot has `refresh_seconds`. Waits for features that were not available. */
    _askAgain(life: number): void;
    _fill(ad: Ad, life: number): Promise<void>;
    /** A lazy element may have its ad before it is in view: its impression waits until a part of the ad is. */
    _watch(ad: Ad): void;
    _impress(ad: Ad): void;
    _track(ad: Ad, event: EventKind | QualitySignal): void;
    /** Updates this device's counts of caps, loads the advertiser's trackers, and fires the event. */
    _count(ad: Ad, event: "impression" | "click"): void;
    _fail(error: ServiceAdError): void;
    _tell(name: string, detail: object, state?: string): void;
}
export {};
