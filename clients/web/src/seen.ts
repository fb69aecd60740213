/** How often this device met capped ads: kept on the device alone, and sent as `seen`, so that caps need no identity. */

import type { Ad, EventKind } from "./ad.js";

const KEY = "service-ad-seen";
const MOST_NAMES = 64;

/** A cap's name, and when each thing counted leaves its window. */
type Count = [name: string, ends: number[]];

/**
 * `NAME.COUNT` by comma, `none` where nothing was counted. Undefined where nothing may or can be kept; what was kept
 * before, or cannot be read, is forgotten then.
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
    // Then nothing is kept either.
  }
  return undefined;
}

/** Where it cannot be kept, the next call says less than was seen. */
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

/** Those still in their window, of the names met last. */
function read(): Count[] {
  const kept = Object.entries<number[]>(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  return kept
    .map(([name, ends]): Count => [name, ends.filter((at) => at > Date.now())])
    .filter(([, ends]) => ends.length)
    .slice(-MOST_NAMES);
}
