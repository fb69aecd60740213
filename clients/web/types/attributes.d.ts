/** The attributes of `<service-ad>`, for typings of frameworks. */
import type { Format } from "../dist/ad.js";

export interface ServiceAdAttributes {
  "publisher-key"?: string;
  "slot-id"?: string;
  format?: Format;
  lazy?: boolean;
  width?: number | string;
  height?: number | string;
  keywords?: string;
  "edge-url"?: string;
  [keyValue: `kv-${string}`]: string;
}
