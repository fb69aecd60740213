/** How the element looks by itself: adopted, not inlined, so that pages with a strict policy take it. */
/** The box, empty yet, that an ad or what stands for it goes into. */
export declare function boxIn(host: HTMLElement): HTMLElement;
