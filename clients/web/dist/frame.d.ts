/**
 * What a frame's own document says: that it came, for a page is told of a load in any case, also of the browser's words about
 * a fault; and that the reader follows its click address, which a page cannot see.
 */
/**
 * Where *frame*'s own document does not come (a page that does not allow its host, no network, an edge that does not know
 * the ad) it shows *srcdoc*, as the page's policy lets it, or fails with an `error`. Until one of them is there nobody
 * else hears of a load. A click on its address inside is a `click` of *frame*, which does not bubble.
 */
export declare function standIn(frame: HTMLIFrameElement, srcdoc: string): void;
