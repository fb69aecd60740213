/** What an edge answers about an ad, by the names of the wire. */

export type Format = "banner" | "html" | "native" | "audio" | "video" | "email";

/** Counted once for each ad served. The rest of what may be tracked says how an ad fared. */
export type EventKind = "impression" | "click" | "conversion";

export type QualitySignal =
  | "viewable"
  | "start"
  | "first_quartile"
  | "midpoint"
  | "third_quartile"
  | "complete"
  | "skip"
  | "error";

export interface Medium {
  readonly url: string;
  readonly mime: string;
  readonly width?: number | null;
  readonly height?: number | null;
}

/** What the ad is made of; which fields there are follows from the format. */
export interface Content {
  readonly image_url?: string;
  readonly alt?: string;
  readonly html?: string;
  readonly title?: string;
  readonly body?: string | null;
  readonly cta?: string | null;
  readonly sponsored_by?: string | null;
  readonly icon?: string | null;
  readonly image?: string | null;
  readonly media?: readonly Medium[];
  readonly companion?: Content | null;
  readonly width?: number;
  readonly height?: number;
}

/** What is counted on the reader's device while it may be, and sent with the next call as `seen`. */
export interface Cap {
  readonly name: string;
  readonly event: EventKind;
  readonly window_seconds: number;
}

export interface Ad {
  readonly decision_id: string;
  readonly ad_id: string;
  readonly campaign_id: string;
  readonly slot_id: string;
  readonly property_id: string;
  /** Tolerate values that are not among `Format`: they may be added. */
  readonly format: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly content: Content;
  readonly html: string;
  readonly track_token: string;
  readonly impression_url: string;
  readonly click_url: string;
  readonly source: string;
  readonly is_test: boolean;
  readonly ttl_seconds: number;
  /** False where a click leads nowhere: then there is no link. */
  readonly has_destination?: boolean | null;
  readonly viewability: { readonly ratio: number; readonly duration_ms: number };
  readonly caps?: readonly Cap[] | null;
  /** The advertiser's own addresses. */
  readonly tracking?: {
    readonly impression_urls: readonly string[];
    readonly click_urls: readonly string[];
  } | null;
}
