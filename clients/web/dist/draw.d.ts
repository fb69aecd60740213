/** An ad as elements: a picture here; every other format is loaded with the first ad of it. */
import type { Ad, Content, QualitySignal } from "./ad.js";
/** `shown`: what is looked at. `link`: what hears of clicks that lead on, where any do: a link, or an html ad's frame. */
export interface Drawn {
    readonly shown: HTMLElement;
    readonly link?: HTMLElement | undefined;
}
/** Fails where the ad is of a format, or with a click address, that cannot be shown. *tell* learns how it plays. */
export declare function draw(ad: Ad, tell: (signal: QualitySignal) => void): Promise<Drawn>;
/** Undefined where the ad leads nowhere. */
export declare function link(ad: Ad, ...inside: Node[]): HTMLAnchorElement | undefined;
export declare function image(src: string, part: string, { alt, width, height }?: Content): HTMLElement;
