/** Counts how often this device showed capped ads. The counts are stored on the device alone and sent as `seen`, so that caps need no id. */
import type { Ad, EventKind } from "./ad.js";
/**
 * `NAME.COUNT`, separated by commas; `none` if nothing was counted. Undefined if the device may not or cannot store counts:
 * then the counts are removed.
 */
export declare function seenNow(mayStore: boolean): string | undefined;
/** If the count cannot be stored, the next request sends a lower count. */
export declare function countSeen({ caps }: Ad, event: EventKind): void;
