/** Whether a frame's own document came. A page is told of a load in any case, also of the browser's words about a fault. */

/** After a load, until the document's word must be there. */
const GRACE_MS = 500;
/** For the document, before its own pictures and scripts. */
const PATIENCE_MS = 3000;

/** Of windows in which such a document said that it came. */
const came = new WeakSet<object>();
let hears = false;

/**
 * Where *frame*'s own document does not come (a page that does not allow its host, no network, an edge that does not know
 * the ad) it shows *srcdoc*, as the page's policy lets it, or fails with an `error`. Until one of them is there nobody
 * else hears of a load.
 */
export function standIn(frame: HTMLIFrameElement, srcdoc: string): void {
  hear();
  const isThere = (): boolean => frame.hasAttribute("srcdoc") || came.has(frame.contentWindow ?? frame);
  const insist = (): void => {
    try {
      if (!isThere()) frame.srcdoc = srcdoc;
    } catch {
      // The page takes markup of trusted types alone.
      frame.dispatchEvent(new Event("error"));
    }
  };
  frame.addEventListener("load", (event) => {
    if (isThere()) return;
    event.stopImmediatePropagation();
    setTimeout(() => {
      if (isThere()) frame.dispatchEvent(new Event("load"));
      else insist();
    }, GRACE_MS);
  });
  setTimeout(insist, PATIENCE_MS);
}

function hear(): void {
  if (hears) return;
  hears = true;
  addEventListener("message", ({ data, source }) => {
    if (source && data === '{"type":"service-ad"}') came.add(source);
  });
}
