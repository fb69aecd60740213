/** `<service-ad>`: shows an ad where it stands. Loading this defines it, and does nothing where there is no DOM. */
import type { Ad, EventKind, QualitySignal } from "./ad.js";
import type { Client } from "./client.js";
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
 * Its children stand there until an ad does, and where none comes. What came of it last is `outcome`, and in short the
 * attribute `data-state`: `loading`, `filled`, `empty` or `error`.
 */
export declare class ServiceAd extends Element {
    static readonly observedAttributes: string[];
    outcome?: ServeOutcome;
    _client: Client | undefined;
    _ad: Ad | undefined;
    _box: HTMLElement;
    _life: number;
    _viewed: boolean;
    _stop: (() => void) | undefined;
    connectedCallback(): void;
    disconnectedCallback(): void;
    /** Another slot is another ad; what changes in one go counts as one change. */
    attributeChangedCallback(_name: string, before: string | null, after: string | null): void;
    _begin(): void;
    /** The space stands before anything is asked for, and stays. */
    _reserve(): void;
    _fallBack(): void;
    _attribute(name: string): string | undefined;
    _request(room?: number): ServeRequest;
    /** Where an ad stands it stays until there is another. *height*: what it takes, where the page says none; pixels. */
    _show(life: number, height?: number): Promise<void>;
    /** Where the slot says so. */
    _askAgain(life: number): void;
    _fill(ad: Ad, life: number): Promise<void>;
    _watch(ad: Ad): void;
    _track(ad: Ad, event: EventKind | QualitySignal): void;
    /** For this device's caps, for the advertiser, and for the page. */
    _count(ad: Ad, event: "impression" | "click"): void;
    _fail(error: ServiceAdError): void;
    _tell(name: string, detail: object, state?: string): void;
}
export {};
