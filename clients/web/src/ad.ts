/** An ad as an edge returns it, with the field names of the API. */

export type Format = "banner" | "html" | "native" | "audio" | "video" | "email";

/** Events that are counted once for each served ad. */
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

/** The parts of the ad. Its format decides which fields are present. */
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
  /** The picture of a video before playback. */
  readonly poster?: string | null;
  readonly companion?: Content | null;
  readonly width?: number;
  readonly height?: number;
}

/** A frequency cap. Where consent allows it, the device counts its events and sends the counts as `seen` with the next request. */
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
  /** May be a value that `Format` does not list: the API may add formats. */
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
  /** False if a click has no destination: show the ad without a link. */
  readonly has_destination?: boolean | null;
  readonly viewability: { readonly ratio: number; readonly duration_ms: number };
  readonly caps?: readonly Cap[] | null;
  /** Addresses of the advertiser's own trackers. */
  readonly tracking?: {
    readonly impression_urls: readonly string[];
    readonly click_urls: readonly string[];
  } | null;
}
