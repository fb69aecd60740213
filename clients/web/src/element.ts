/** `<service-ad>`, the element that shows an ad. Importing this defines it if there is a DOM, and does nothing on a server. */

import type { Ad, EventKind, QualitySignal } from "./ad.js";
import { AGAIN_S, type Client } from "./client.js";
import { clientFor } from "./clients.js";
import { draw } from "./draw.js";
import { serve, track } from "./index.js";
import { make } from "./make.js";
import type { ServeOutcome, ServiceAdError } from "./outcome.js";
import type { ServeRequest } from "./serve-query.js";
import { boxIn } from "./styles.js";
import { partOf, watch } from "./watching.js";

export interface ServiceAdEvents {
  "ad-load": CustomEvent<{ ad: Ad }>;
  "ad-empty": CustomEvent<{ reason: string | null }>;
  "ad-error": CustomEvent<{ error: ServiceAdError }>;
  "ad-impression": CustomEvent<{ ad: Ad }>;
  "ad-viewable": CustomEvent<{ ad: Ad }>;
  "ad-click": CustomEvent<{ ad: Ad }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "service-ad": ServiceAd;
  }
  interface HTMLElementEventMap extends ServiceAdEvents {}
}

/** Heights in pixels that are reserved without a `height` attribute or a height in the page's styles. */
const RESERVED: Readonly<Record<string, number>> = { native: 120, audio: 60, video: 180, email: 200 };

/** The distance from the viewport within which a lazy element requests its ad. */
const NEAR = "200px";

/** The part of a lazy element's ad that must be in view for its impression: more than an edge that touches the viewport. */
const ANY_PART = 0.01;

const Element: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * Its children are fallback content: they are shown until an ad loads, and when there is none. `outcome` is the latest
 * result, and the attribute `data-state` its short form: `loading`, `filled`, `empty` or `error`.
 */
export class ServiceAd extends Element {
  static readonly observedAttributes = ["publisher-key", "slot-id", "format", "edge-url"];

  declare outcome?: ServeOutcome;
  declare _client: Client | undefined;
  declare _ad: Ad | undefined;
  _box = boxIn(this);
  _life = 0;
  declare _counted: boolean;
  declare _viewed: boolean;
  declare _stop: (() => void) | undefined;

  connectedCallback(): void {
    if (!this._ad) return this._begin();
    this._watch(this._ad);
    this._askAgain(this._life);
  }

  disconnectedCallback(): void {
    this._stop?.();
    this._life++;
  }

  /** Another slot requests another ad. Changes in one task count as one change. */
  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return;
    this.disconnectedCallback();
    this._ad = undefined;
    this._begin();
  }

  _begin(): void {
    const life = ++this._life;
    const come = (): void => {
      if (life !== this._life) return;
      if (this.hasAttribute("lazy")) this._stop = watch(this, 0, NEAR, 0, () => this._show(life));
      else this._show(life);
    };
    queueMicrotask(() => {
      this._reserve();
      // Nobody sees a prerendered page yet.
      if ((document as { prerendering?: boolean }).prerendering)
        document.addEventListener("prerenderingchange", come);
      else come();
    });
  }

  /** Reserves the space before the first request, and keeps it. */
  _reserve(): void {
    const { width, height, format } = this._request();
    this._fallBack();
    // A page may hide an element in the state `empty`, and a hidden element never enters the viewport.
    delete this.dataset["state"];
    const min = height ?? RESERVED[format!] ?? 250;
    // The browser ignores a declaration without a number.
    this._box.style.cssText = `min-height:${min}px;height:${height}px;width:${width}px`;
  }

  _fallBack(): void {
    this._box.replaceChildren(make("slot"));
  }

  /** Undefined if it is empty, as a template without a value leaves it. */
  _attribute(name: string): string | undefined {
    return this.getAttribute(name) || undefined;
  }

  _request(room?: number): ServeRequest {
    const keyValues: Record<string, string> = {};
    for (const { name, value } of this.attributes)
      if (name.startsWith("kv-")) keyValues[name.slice(3)] = value;
    return {
      slot: this._attribute("slot-id")!,
      format: this._attribute("format"),
      width: +this._attribute("width")! || undefined,
      height: +this._attribute("height")! || room,
      keywords: this._attribute("keywords")?.split(","),
      keyValues,
    };
  }

  /** An ad that is shown stays until there is another. *height*: pixels it takes, if the page sets no height. */
  async _show(life: number, height?: number): Promise<void> {
    if (!this._ad) this.dataset["state"] = "loading";
    let ad: Ad | undefined;
    try {
      this._client = clientFor(this._attribute("publisher-key"), this._attribute("edge-url"));
      const outcome = await serve(this._request(height), this._client);
      if (life !== this._life) return;
      if (!this._ad || outcome.status === "filled") {
        this.outcome = outcome;
        if (outcome.status === "error") this._fail(outcome.error);
        else if (outcome.status === "no_fill") this._tell("empty", outcome, "empty");
        else await this._fill((ad = outcome.ad), life);
      }
    } catch (fault) {
      if (life !== this._life) return;
      if (ad) this._track(ad, "error");
      this._fail({ code: "render", message: `${fault}` });
    }
    this._askAgain(life);
  }

  /** Refreshes the ad if the slot has `refresh_seconds`. Waits for features that were not available. */
  _askAgain(life: number): void {
    const client = this._client;
    if (life !== this._life || !client) return;
    const { slots } = client._known;
    if (!slots && this.outcome?.status !== "error")
      setTimeout(() => life === this._life && client._know().then(() => this._askAgain(life)), AGAIN_S * 1000);
    const slot = this._attribute("slot-id");
    const seconds = slots?.find(({ key, id }) => [key, id].includes(slot!))?.refresh_seconds;
    if (seconds)
      import("./refresh.js").then(
        ({ refresh }) =>
          refresh(this._box, seconds, () => life !== this._life, (height) => this._show(life, height)),
        () => undefined,
      );
  }

  async _fill(ad: Ad, life: number): Promise<void> {
    const { format } = ad;
    const { shown, link } = await draw(ad, (signal) => this._track(ad, signal));
    const label = make("slot", { name: "label", part: "label" }, "Ad");
    const nodes = link?.contains(shown) ? [link] : [shown, link ?? ""];
    const put = (): void => this._box.replaceChildren(...nodes, label);
    if (life !== this._life) return;
    // A frame loads only once it is in the page; a picture is inserted only once it has loaded.
    if (format === "html") put();
    if (/html|banner|email/.test(format))
      await new Promise((done, fail) => {
        shown.onload = done;
        shown.onerror = () => fail("Not loaded.");
      });
    if (life !== this._life) return;
    if (format !== "html") put();
    this._ad = ad;
    this._counted = this._viewed = false;
    this._tell("load", { ad }, "filled");
    // The edge counts the click when it redirects; the third button only opens a menu.
    if (link)
      link.onclick = link.onauxclick = ({ button }) =>
        button < 2 && this._count(ad, "click");
    this._watch(ad);
  }

  /** A lazy element may have its ad before it is in view: its impression waits until a part of the ad is. */
  _watch(ad: Ad): void {
    const { ratio, duration_ms } = ad.viewability;
    const shown = this._box.firstElementChild as HTMLElement;
    this._stop?.();
    if (!this._counted && this.hasAttribute("lazy"))
      this._stop = watch(shown, ANY_PART, "0px", 0, () => this._impress(ad));
    else if (!this._counted) this._impress(ad);
    else if (!this._viewed)
      this._stop = watch(shown, partOf(shown, ratio), "0px", duration_ms, () => {
        this._viewed = true;
        this._track(ad, "viewable");
        this._tell("viewable", { ad });
      });
  }

  _impress(ad: Ad): void {
    this._counted = true;
    this._track(ad, "impression");
    this._count(ad, "impression");
    this._watch(ad);
  }

  _track(ad: Ad, event: EventKind | QualitySignal): void {
    void track(ad, event, undefined, this._client);
  }

  /** Updates this device's counts of caps, loads the advertiser's trackers, and fires the event. */
  _count(ad: Ad, event: "impression" | "click"): void {
    this._client!._count(ad, event);
    for (const url of ad.tracking?.[`${event}_urls`] ?? []) new Image().src = url;
    this._tell(event, { ad });
  }

  _fail(error: ServiceAdError): void {
    this.outcome = { status: "error", error };
    this._ad = undefined;
    this._fallBack();
    this._tell("error", { error }, "error");
  }

  _tell(name: string, detail: object, state?: string): void {
    if (state) this.dataset["state"] = state;
    this.dispatchEvent(new CustomEvent(`ad-${name}`, { detail, bubbles: true, composed: true }));
  }
}

const { customElements: registry, location } = globalThis;
if (registry && !registry.get("service-ad")) registry.define("service-ad", ServiceAd);
if (location?.search.includes("service_ad_debug=1"))
  import("./debug.js").then(({ overlay }) => overlay(), () => undefined);
