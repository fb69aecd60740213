/** Makes the elements of an ad. Pictures are made here; the first ad of another format loads `formats.js`. */
import type { Ad, Content, QualitySignal } from "./ad.js";
/** `shown`: the visible element. `link`: the element that receives clicks, a link or an html ad's frame; undefined without a destination. */
export interface Drawn {
    readonly shown: HTMLElement;
    readonly link?: HTMLElement | undefined;
}
/** Rejects if the format or the click address is not supported. *tell* receives the playback signals. */
export declare function draw(ad: Ad, tell: (signal: QualitySignal) => void): Promise<Drawn>;
/** Undefined if the ad has no destination. */
export declare function link(ad: Ad, ...inside: Node[]): HTMLAnchorElement | undefined;
export declare function image(src: string, part: string, { alt, width, height }?: Content): HTMLElement;
