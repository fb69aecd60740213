/**
 * What a frame's own document says: that it came, for a page is told of a load in any case, also of the browser's words about
 * a fault; and that the reader follows its click address, which a page cannot see.
 */

/** After a load, until the document's word must be there. */
const GRACE_MS = 500;
/** For the document, before its own pictures and scripts. */
const PATIENCE_MS = 3000;

const CAME = '{"type":"service-ad"}';
const CLICKED = '{"type":"service-ad","event":"click"}';

/** Of windows in which such a document said that it came. */
const came = new WeakSet<object>();
/** The frame that a window has been loaded in. */
const frames = new WeakMap<object, HTMLIFrameElement>();
let hears = false;

/**
 * Where *frame*'s own document does not come (a page that does not allow its host, no network, an edge that does not know
 * the ad) it shows *srcdoc*, as the page's policy lets it, or fails with an `error`. Until one of them is there nobody
 * else hears of a load. A click on its address inside is a `click` of *frame*, which does not bubble.
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
    frames.set(frame.contentWindow ?? frame, frame);
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
    if (!source) return;
    if (data === CAME) came.add(source);
    if (data !== CLICKED) return;
    const frame = frames.get(source);
    // Who clicks in a frame has the focus there: an ad that nobody touched says so in vain.
    if (frame && (frame.getRootNode() as ShadowRoot).activeElement === frame)
      frame.dispatchEvent(new MouseEvent("click"));
  });
}
