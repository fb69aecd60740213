/** Html, native, audio and video ads. Untrusted markup is shown as text or in a sandboxed frame. */

import type { Ad, QualitySignal } from "./ad.js";
import { image, link, type Drawn } from "./draw.js";
import { standIn } from "./frame.js";
import { make } from "./make.js";

const SANDBOX =
  "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation";
const CLICK_MACRO = "{click_url}";
/** Any rule of a page's `::part()` wins over these. */
const CSS =
  "[part=title],[part=body],[part=sponsored-by]{display:block}" +
  "[part=title]{font-weight:600;padding-inline-end:2.5em}" +
  "[part=cta]{display:table;margin-block:.5em;padding:.35em .9em;border:1px solid;border-radius:.4em;font-weight:600}" +
  "a:hover>[part=cta]{text-decoration:underline}" +
  "[part=sponsored-by]{font-size:.85em}" +
  "[part=player]{display:block;max-width:100%;height:auto}" +
  "audio[part=player]{width:100%;height:54px}" +
  "[part=player]~a{display:inline-block;margin-block:.4em;color:LinkText;text-decoration:underline}";
const QUARTILES = ["start", "first_quartile", "midpoint", "third_quartile"] as const;

/** Throws for another format. *tell* receives each playback signal once. */
export function drawOther(ad: Ad, tell: (signal: QualitySignal) => void): Drawn {
  switch (ad.format) {
    case "html":
      return drawFrame(ad);
    case "native":
      return drawNative(ad);
    case "audio":
    case "video":
      return drawPlayer(ad, tell);
    default:
      throw TypeError(`format ${ad.format}`);
  }
}

/** A link covers an html ad that has none. Otherwise the ad's document reports its clicks (`standIn`). */
function drawFrame(ad: Ad): Drawn {
  const { content, width, height, click_url } = ad;
  const html = content.html ?? "";
  const srcdoc = html.replaceAll(CLICK_MACRO, click_url);
  const bare = { title: "Advertisement", scrolling: "no", marginwidth: 0, marginheight: 0 };
  const [edge, token] = click_url.split("/v1/click/");
  const src = token && `${edge}/v1/frame/${token}`;
  const shown = make("iframe", { sandbox: SANDBOX, ...bare, width, height, src });
  styled(shown, "border:0;vertical-align:top;max-width:100%");
  if (src) standIn(shown, srcdoc);
  else shown.srcdoc = srcdoc;
  const over = link(ad);
  if (!over || html !== srcdoc) return { shown, link: over && shown };
  return { shown, link: styled(over, "position:absolute;inset:0") };
}

function drawNative(ad: Ad): Drawn {
  const { title, body, cta, sponsored_by, icon, image: picture } = ad.content;
  const parts: Node[] = [];
  if (picture) parts.push(image(picture, "image"));
  if (icon) parts.push(image(icon, "icon", { width: 32, height: 32 }));
  for (const [part, text] of Object.entries({ title, body, cta, sponsored_by }))
    if (text) parts.push(line(part.replace("_", "-"), text));
  const whole = link(ad, ...parts);
  return { shown: withStyles(whole ?? make("div", {}, ...parts)), link: whole };
}

function line(part: string, text: string): HTMLElement {
  return make("span", { part }, text);
}

/** The companion is the link; without one, it is a text that a child with `slot="more"` replaces. */
function drawPlayer(ad: Ad, tell: (signal: QualitySignal) => void): Drawn {
  const { format, content, width = content.width, height = content.height } = ad;
  const { media = [], companion, poster } = content;
  const tag = format as "audio" | "video";
  const first = media[0];
  const size = tag === "video" && { width: width ?? first?.width, height: height ?? first?.height };
  // Shows the length before playback, and without a poster the first picture of a film.
  const player = make(tag, { part: "player", controls: "", playsinline: "", preload: "metadata", poster, ...size });
  for (const { url, mime } of media) player.append(make("source", { src: url, type: mime }));
  tellProgress(player, tell);
  tellFailure(player, tell);
  const picture = companion?.image_url && image(companion.image_url, "image", companion);
  const beside = link(ad, picture || make("slot", { name: "more" }, "Learn more"));
  const shown = beside || !picture ? player : make("div", {}, player, picture);
  return { shown: withStyles(shown), link: beside };
}

let sheet: CSSStyleSheet | undefined;

/** Adopts the styles once *shown* is in its element, before it is painted. */
function withStyles<Made extends HTMLElement>(shown: Made): Made {
  requestAnimationFrame(() => {
    const root = shown.getRootNode();
    if (!(root instanceof ShadowRoot)) return;
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(CSS);
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  });
  return shown;
}

/** Styles set by a script, which a strict content security policy allows. */
function styled<Made extends HTMLElement>(made: Made, css: string): Made {
  made.style.cssText = css;
  return made;
}

/** Only the last source reports that none could be loaded; the player itself reports a failure during playback. */
function tellFailure(player: HTMLMediaElement, tell: (signal: QualitySignal) => void): void {
  const last = player.lastElementChild as HTMLSourceElement | null;
  const fail = (): void => {
    player.onerror = null;
    if (last) last.onerror = null;
    tell("error");
  };
  player.onerror = fail;
  if (last) last.onerror = fail;
}

function tellProgress(player: HTMLMediaElement, tell: (signal: QualitySignal) => void): void {
  let told = 0;
  const look = (): void => {
    const quarters = (player.currentTime / player.duration) * 4;
    while (told < 4 && quarters >= told) tell(QUARTILES[told++]!);
  };
  player.onplay = player.ontimeupdate = look;
  player.onended = () => {
    player.onplay = player.ontimeupdate = player.onended = null;
    tell("complete");
  };
}
