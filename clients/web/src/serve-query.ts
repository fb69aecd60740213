/** The query of a serve request. Everything is in the query, because a header would cost a preflight. */

import type { Consent } from "./consent.js";

export interface ServeRequest {
  /** The slot's key or id. */
  readonly slot: string;
  readonly format?: string | undefined;
  /** Available space in pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly keyValues?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Your own opaque id of the reader. The edge uses it only with consent. */
  readonly uid?: string | undefined;
  /** As in `Accept-Language`, instead of the browser's languages. */
  readonly lang?: string | undefined;
}

/** Starts with `&`. *seen*: the counts of this device; undefined if it stores none. */
export function serveQuery(request: ServeRequest, consent: Consent, seen?: string): string {
  const { width: w, height: h, keywords, keyValues, ...rest } = request;
  let query = "";
  const put = (values: object = {}, prefix = ""): void => {
    for (const [name, value] of Object.entries(values))
      for (const one of [value].flat())
        if (one != null && one !== "")
          query += `&${encodeURIComponent(prefix + name)}=${encodeURIComponent(one === !!one ? +one : one)}`;
  };
  put({ ...consent, storage: "", ...rest, w, h, keywords: keywords?.join(), seen });
  put(keyValues, "kv.");
  return query;
}
