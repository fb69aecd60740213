/** The element's own styles: an adopted style sheet, which a strict content security policy allows. */

import { make } from "./make.js";

const CSS =
  ":host{display:block}:host([hidden]){display:none}" +
  "div{position:relative}" +
  "a{color:inherit;text-decoration:none}" +
  "img{vertical-align:top;max-width:100%;object-fit:contain}" +
  "[part=label]{display:block;position:absolute;top:0;right:0;font:10px sans-serif;color:#000;background:#fff}";

let sheet: CSSStyleSheet | undefined;

/** An empty box for the ad or the fallback content. */
export function boxIn(host: HTMLElement): HTMLElement {
  const root = host.attachShadow({ mode: "open" });
  const box = make("div");
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  root.append(box);
  return box;
}
