/** A client of one edge with one key: it sends requests, and stores the features of the property. */

import type { Ad, EventKind, QualitySignal } from "./ad.js";
import { mayStore, type Consent } from "./consent.js";
import type { Page } from "./consent-apis.js";
import { stopOf, type Features } from "./features.js";
import type { ServeOutcome, TrackOutcome } from "./outcome.js";
import { countSeen, seenNow } from "./seen.js";
import { send, type Answer, type Line } from "./send.js";
import { serveQuery, type ServeRequest } from "./serve-query.js";

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
export const AGAIN_S = 30;

export class Client implements Line {
  readonly options: Options;
  readonly _edgeUrl: string;
  _known: Partial<Features> = {};
  _heldUntil = 0;
  declare _asked?: Promise<void>;
  _featuresEnd = 0;
  _mayStore = false;

  /** Sends no request. */
  constructor(options: Options) {
    this.options = options;
    this._edgeUrl = `${options.edgeUrl || ownEdge(options.publisherKey)}`.replace(/\/+$/, "");
  }

  async serve(request: ServeRequest): Promise<ServeOutcome> {
    await this._know();
    const stop = stopOf(this._known);
    if (stop) return { status: "no_fill", reason: stop };
    const consent = await this._consent();
    this._mayStore = mayStore(consent, this._known.consent?.default === "personalized");
    const query = serveQuery(request, consent, seenNow(this._mayStore));
    const { _error, _body, _reason } = await this._send("serve", query);
    if (_error) return { status: "error", error: _error };
    return _body ? { status: "filled", ad: _body } : { status: "no_fill", reason: _reason! };
  }

  /** The request completes even if the page is closed. Its body is text, so that there is no preflight. */
  async track(
    token: string,
    event: EventKind | QualitySignal,
    conversion?: Conversion,
  ): Promise<TrackOutcome> {
    const { _error } = await this._send("track", "", {
      method: "POST",
      keepalive: true,
      body: JSON.stringify({ token, event, ...conversion }),
    });
    return _error ? { status: "error", error: _error } : { status: "counted" };
  }

  _count(ad: Ad, event: EventKind): void {
    if (this._mayStore) countSeen(ad, event);
  }

  _send(path: string, query: string, init?: RequestInit, retries?: number): Promise<Answer> {
    const key = encodeURIComponent(this.options.publisherKey);
    return send(this, `${this._edgeUrl}/v1/${path}?key=${key}${query}`, init, retries);
  }

  /** Values of `options.consent` take precedence over the page's consent APIs. A failure counts as a refusal. */
  async _consent(): Promise<Consent> {
    const { consent } = this.options;
    const page = globalThis as Page;
    try {
      const stated = typeof consent === "function" ? await consent() : consent;
      const reported =
        (page.__tcfapi || page.__gpp) &&
        (await (await import("./consent-apis.js")).consentOf(page));
      // An undefined value takes no precedence.
      const values = Object.entries(stated ?? {}).filter(([, value]) => value !== undefined);
      return { npa: page.navigator?.globalPrivacyControl || undefined, ...reported, ...Object.fromEntries(values) };
    } catch {
      return { npa: true };
    }
  }

  /** Requests features that are missing or out of date. Ads are requested even if that fails. */
  _know(): Promise<void> {
    const now = Date.now();
    if (now >= this._featuresEnd) {
      this._featuresEnd = now + AGAIN_S * 1000;
      this._asked = this._send("features", "", {}, 0).then(({ _body }) => {
        // What was known stays until something newer comes.
        this._known = _body || this._known;
        this._featuresEnd = now + (_body?.ttl_seconds ?? AGAIN_S) * 1000;
      });
    }
    return this._asked!;
  }
}

function ownEdge(key: string): string {
  const { serviceAdEdges } = globalThis as { serviceAdEdges?: Record<string, string> };
  return serviceAdEdges?.[`${key}`.slice(3, 7)] ?? new URL(import.meta.url ?? "none:").origin;
}
