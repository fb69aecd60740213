/** Whether a frame's own document came. A page is told of a load in any case, also of the browser's words about a fault. */
/**
 * Where *frame*'s own document does not come (a page that does not allow its host, no network, an edge that does not know
 * the ad) it shows *srcdoc*, as the page's policy lets it, or fails with an `error`. Until one of them is there nobody
 * else hears of a load.
 */
export declare function standIn(frame: HTMLIFrameElement, srcdoc: string): void;
