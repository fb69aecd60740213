/**
 * Messages of an html ad's document. It reports that it has loaded, because the browser fires `load` for its own error
 * pages too. It also reports clicks on its click address, which the page cannot see.
 */
/**
 * Shows *srcdoc* if *frame*'s own document does not load: the page does not allow its host, there is no network, or the
 * edge does not know the ad. If the page's policy forbids *srcdoc*, the frame fires `error`. Other listeners receive `load`
 * only after one of the two has loaded. A click on the click address inside fires a `click` of *frame* that does not bubble.
 */
export declare function standIn(frame: HTMLIFrameElement, srcdoc: string): void;
