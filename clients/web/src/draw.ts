/** Makes the elements of an ad. Pictures are made here; the first ad of another format loads `formats.js`. */

import type { Ad, Content, QualitySignal } from "./ad.js";
import { make } from "./make.js";

/** `shown`: the visible element. `link`: the element that receives clicks, a link or an html ad's frame; undefined without a destination. */
export interface Drawn {
  readonly shown: HTMLElement;
  readonly link?: HTMLElement | undefined;
}

/** Rejects if the format or the click address is not supported. *tell* receives the playback signals. */
export async function draw(ad: Ad, tell: (signal: QualitySignal) => void): Promise<Drawn> {
  const { format, content, click_url } = ad;
  // Without characters that an attribute of an html ad would need to escape.
  if (!/^https?:[^\s"'<>&]+$/.test(click_url)) throw TypeError(click_url);
  if (!content.image_url) return (await import("./formats.js")).drawOther(ad, tell);
  const shown = image(content.image_url, format, content);
  return { shown, link: link(ad, shown) };
}

/** Undefined if the ad has no destination. */
export function link(ad: Ad, ...inside: Node[]): HTMLAnchorElement | undefined {
  if (ad.has_destination === false) return;
  const made = make("a", { part: "link", href: ad.click_url, target: "_blank", rel: "sponsored noopener" }, ...inside);
  if (!made.textContent && !ad.content.alt) made.ariaLabel = "Advertisement";
  return made;
}

export function image(src: string, part: string, { alt = "", width, height }: Content = {}): HTMLElement {
  return make("img", { part, alt, width, height, src });
}
