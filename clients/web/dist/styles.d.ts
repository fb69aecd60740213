/** The element's own styles: an adopted style sheet, which a strict content security policy allows. */
/** An empty box for the ad or the fallback content. */
export declare function boxIn(host: HTMLElement): HTMLElement;
