/** What a serve call asks for, as a query: a header would cost the browser a preflight. */

import type { Consent } from "./consent.js";

export interface ServeRequest {
  /** The slot's key or id. */
  readonly slot: string;
  readonly format?: string | undefined;
  /** Pixels there is room for. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly keyValues?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** An opaque id of the reader, yours. Used with consent alone. */
  readonly uid?: string | undefined;
  /** As in `Accept-Language`, over what the browser says. */
  readonly lang?: string | undefined;
}

/** Begins with `&`. *seen*: what this device counted; undefined where it counts nothing. */
export function serveQuery(request: ServeRequest, consent: Consent, seen?: string): string {
  const { width: w, height: h, keywords, keyValues, ...rest } = request;
  let query = "";
  const put = (values: object = {}, prefix = ""): void => {
    for (const [name, said] of Object.entries(values))
      for (const one of [said].flat())
        if (one != null && one !== "")
          query += `&${encodeURIComponent(prefix + name)}=${encodeURIComponent(one === !!one ? +one : one)}`;
  };
  put({ ...consent, storage: "", ...rest, w, h, keywords: keywords?.join(), seen });
  put(keyValues, "kv.");
  return query;
}
