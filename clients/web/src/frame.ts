/**
 * Messages of an html ad's document. It reports that it has loaded, because the browser fires `load` for its own error
 * pages too. It also reports clicks on its click address, which the page cannot see.
 */

/** Time after `load` for the document's message to arrive. */
const GRACE_MS = 500;
/** Time for the document itself to load, without its pictures and scripts. */
const PATIENCE_MS = 3000;

const CAME = '{"type":"service-ad"}';
const CLICKED = '{"type":"service-ad","event":"click"}';

/** Windows whose document reported that it has loaded. */
const came = new WeakSet<object>();
/** The frame of each window. */
const frames = new WeakMap<object, HTMLIFrameElement>();
let isListening = false;

/**
 * Shows *srcdoc* if *frame*'s own document does not load: the page does not allow its host, there is no network, or the
 * edge does not know the ad. If the page's policy forbids *srcdoc*, the frame fires `error`. Other listeners receive `load`
 * only after one of the two has loaded. A click on the click address inside fires a `click` of *frame* that does not bubble.
 */
export function standIn(frame: HTMLIFrameElement, srcdoc: string): void {
  listen();
  const isThere = (): boolean => frame.hasAttribute("srcdoc") || came.has(frame.contentWindow ?? frame);
  const insist = (): void => {
    try {
      if (!isThere()) frame.srcdoc = srcdoc;
    } catch {
      // The page accepts markup of trusted types only.
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

function listen(): void {
  if (isListening) return;
  isListening = true;
  addEventListener("message", ({ data, source }) => {
    if (!source) return;
    if (data === CAME) came.add(source);
    if (data !== CLICKED) return;
    const frame = frames.get(source);
    // A click gives the frame the focus: a click that an ad reports without it does not count.
    if (frame && (frame.getRootNode() as ShadowRoot).activeElement === frame)
      frame.dispatchEvent(new MouseEvent("click"));
  });
}
