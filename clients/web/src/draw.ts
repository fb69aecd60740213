/** An ad as elements: a picture here; every other format is loaded with the first ad of it. */

import type { Ad, Content, QualitySignal } from "./ad.js";
import { make } from "./make.js";

/** `shown`: what is looked at. `link`: what hears of clicks that lead on, where any do: a link, or an html ad's frame. */
export interface Drawn {
  readonly shown: HTMLElement;
  readonly link?: HTMLElement | undefined;
}

/** Fails where the ad is of a format, or with a click address, that cannot be shown. *tell* learns how it plays. */
export async function draw(ad: Ad, tell: (signal: QualitySignal) => void): Promise<Drawn> {
  const { format, content, click_url } = ad;
  // Plain enough to stand in an attribute of an html ad.
  if (!/^https?:[^\s"'<>&]+$/.test(click_url)) throw TypeError(click_url);
  if (!content.image_url) return (await import("./formats.js")).drawOther(ad, tell);
  const shown = image(content.image_url, format, content);
  return { shown, link: link(ad, shown) };
}

/** Undefined where the ad leads nowhere. */
export function link(ad: Ad, ...inside: Node[]): HTMLAnchorElement | undefined {
  if (ad.has_destination === false) return;
  const made = make("a", { part: "link", href: ad.click_url, target: "_blank", rel: "sponsored noopener" }, ...inside);
  if (!made.textContent && !ad.content.alt) made.ariaLabel = "Advertisement";
  return made;
}

export function image(src: string, part: string, { alt = "", width, height }: Content = {}): HTMLElement {
  return make("img", { part, alt, width, height, src });
}
