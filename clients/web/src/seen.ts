/** Counts how often this device showed capped ads. The counts are stored on the device alone and sent as `seen`, so that caps need no id. */

import type { Ad, EventKind } from "./ad.js";

const KEY = "service-ad-seen";
const MOST_NAMES = 64;

/** A cap's name, and the time at which each counted event leaves its window. */
type Count = [name: string, ends: number[]];

/**
 * `NAME.COUNT`, separated by commas; `none` if nothing was counted. Undefined if the device may not or cannot store counts:
 * then the counts are removed.
 */
export function seenNow(mayStore: boolean): string | undefined {
  try {
    if (mayStore) return read().map(([name, ends]) => `${name}.${ends.length}`).join() || "none";
  } catch {
    // No storage, or not ours.
  }
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Then nothing is stored either.
  }
  return undefined;
}

/** If the count cannot be stored, the next request sends a lower count. */
export function countSeen({ caps }: Ad, event: EventKind): void {
  for (const cap of caps ?? [])
    if (cap.event === event)
      try {
        const { [cap.name]: ends = [], ...others } = Object.fromEntries(read());
        const now = [...ends, Date.now() + cap.window_seconds * 1000];
        localStorage.setItem(KEY, JSON.stringify({ ...others, [cap.name]: now }));
      } catch {
        // No storage, or no room in it.
      }
}

/** The counts still in their window, of the newest names. */
function read(): Count[] {
  const kept = Object.entries<number[]>(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  return kept
    .map(([name, ends]): Count => [name, ends.filter((at) => at > Date.now())])
    .filter(([, ends]) => ends.length)
    .slice(-MOST_NAMES);
}
