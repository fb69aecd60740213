/** How the element looks by itself: adopted, not inlined, so that pages with a strict policy take it. */

const CSS =
  ":host{display:block}:host([hidden]){display:none}" +
  "div{position:relative}" +
  "a{color:inherit;text-decoration:none}" +
  "img{vertical-align:top;max-width:100%;object-fit:contain}" +
  "[part=label]{display:block;position:absolute;top:0;right:0;font:10px sans-serif;color:#000;background:#fff}";

let sheet: CSSStyleSheet | undefined;

export function dress(root: ShadowRoot): void {
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
}
