/** Requests ads and tracks events. Importing this has no side effects, and no function throws or rejects. */

import type { Ad, EventKind, QualitySignal } from "./ad.js";
import type { Client, Conversion } from "./client.js";
import { clientFor } from "./clients.js";
import type { ServeOutcome, ServiceAdError, TrackOutcome } from "./outcome.js";
import type { ServeRequest } from "./serve-query.js";

export type { Ad, Cap, Content, EventKind, Format, Medium, QualitySignal } from "./ad.js";
export type { Client, Conversion, Options } from "./client.js";
export type { Consent } from "./consent.js";
export type { ServeOutcome, ServiceAdError, TrackOutcome } from "./outcome.js";
export type { ServeRequest } from "./serve-query.js";
export { initialize } from "./clients.js";
export { VERSION } from "./features.js";

/** Requests an ad. It counts no event: show the ad, then `track` its impression. */
export async function serve(request: ServeRequest, client = clientFor()): Promise<ServeOutcome> {
  return safely(client, (known) => known.serve(request));
}

/** Reports an event of the ad. The edge counts each kind once for a token. Failed requests are retried. */
export async function track(
  ad: Pick<Ad, "track_token">,
  event: EventKind | QualitySignal,
  conversion?: Conversion,
  client = clientFor(),
): Promise<TrackOutcome> {
  return safely(client, (known) => known.track(ad.track_token, event, conversion));
}

/** Returns an exception as an error, so that the page continues. */
async function safely<Outcome>(
  client: Client | undefined,
  call: (client: Client) => Promise<Outcome>,
): Promise<Outcome | { status: "error"; error: ServiceAdError }> {
  let error = { code: "not_initialized", message: "No publisher-key: initialize() first." };
  try {
    if (client) return await call(client);
  } catch (fault) {
    error = { code: "invalid_request", message: `${fault}` };
  }
  return { status: "error", error };
}
