/** How often this device met capped ads: kept on the device alone, and sent as `seen`, so that caps need no identity. */
import type { Ad, EventKind } from "./ad.js";
/**
 * `NAME.COUNT` by comma, `none` where nothing was counted. Undefined where nothing may or can be kept; what was kept
 * before, or cannot be read, is forgotten then.
 */
export declare function seenNow(mayStore: boolean): string | undefined;
/** Where it cannot be kept, the next call says less than was seen. */
export declare function countSeen({ caps }: Ad, event: EventKind): void;
