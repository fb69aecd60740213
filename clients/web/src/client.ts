/** A key at an edge, and what is known of both: where calls go, what they carry, and how long to wait. */

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

/** How soon features are asked for again that could not be had. */
const AGAIN_S = 30;

export class Client implements Line {
  readonly options: Options;
  readonly _edgeUrl: string;
  _known: Partial<Features> = {};
  _heldUntil = 0;
  declare _asked?: Promise<void>;
  _featuresEnd = 0;
  _mayStore = false;

  /** Does nothing but remember. */
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

  /** Outlives the page it is sent from; as text, which costs no preflight. */
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

  /** By hand over the page's APIs; where asking goes wrong, a no. */
  async _consent(): Promise<Consent> {
    const { consent } = this.options;
    const page = globalThis as Page;
    try {
      const said = typeof consent === "function" ? await consent() : consent;
      const heard =
        (page.__tcfapi || page.__gpp) &&
        (await (await import("./consent-apis.js")).consentOf(page));
      return { npa: page.navigator?.globalPrivacyControl || undefined, ...heard, ...said };
    } catch {
      return { npa: true };
    }
  }

  /** Of features that cannot be had nothing is known: then an ad is asked for all the same. */
  _know(): Promise<void> {
    const now = Date.now();
    if (now >= this._featuresEnd) {
      this._featuresEnd = now + AGAIN_S * 1000;
      this._asked = this._send("features", "", {}, 0).then(({ _body }) => {
        this._known = _body || {};
        this._featuresEnd = now + (this._known.ttl_seconds ?? AGAIN_S) * 1000;
      });
    }
    return this._asked!;
  }
}

function ownEdge(key: string): string {
  const { serviceAdEdges } = globalThis as { serviceAdEdges?: Record<string, string> };
  return serviceAdEdges?.[`${key}`.slice(3, 7)] ?? new URL(import.meta.url ?? "none:").origin;
}
