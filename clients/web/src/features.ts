/** The features of a property, which are requested before the first ad. */

export interface Features {
  readonly slots: readonly { readonly key: string; readonly id: string; readonly refresh_seconds: number | null }[];
  readonly consent: { readonly default: string };
  readonly tracking: {
    readonly timeout_ms: number;
    readonly retry: { readonly max: number; readonly base_ms: number };
  };
  readonly sdk: { readonly min: Readonly<Record<string, string>>; readonly kill_switch: boolean };
  readonly ttl_seconds: number;
}

export const VERSION = "0.2.0";

/** Defaults until the edge returns other values. */
export const USUAL: Features["tracking"] = { timeout_ms: 3000, retry: { max: 3, base_ms: 500 } };

/** The reason why no ads may be requested; null if they may. */
export function stopOf({ sdk }: Partial<Features>): string | null {
  if (sdk?.kill_switch) return "kill_switch";
  const oldest = sdk?.min?.["web"];
  return oldest && oldest.localeCompare(VERSION, "en", { numeric: true }) > 0 ? "outdated" : null;
}
