/** How the element looks by itself: adopted, not inlined, so that pages with a strict policy take it. */

import { make } from "./make.js";

const CSS =
  ":host{display:block}:host([hidden]){display:none}" +
  "div{position:relative}" +
  "a{color:inherit;text-decoration:none}" +
  "img{vertical-align:top;max-width:100%;object-fit:contain}" +
  "[part=label]{display:block;position:absolute;top:0;right:0;font:10px sans-serif;color:#000;background:#fff}";

let sheet: CSSStyleSheet | undefined;

/** The box, empty yet, that an ad or what stands for it goes into. */
export function boxIn(host: HTMLElement): HTMLElement {
  const root = host.attachShadow({ mode: "open" });
  const box = make("div");
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  root.append(box);
  return box;
}
