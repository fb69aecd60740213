/** Observes which part of an element is in view, and for how long. */
/** The part of an ad that must be in view: *ratio*, or less of a large ad. */
export declare function partOf({ offsetWidth, offsetHeight }: HTMLElement, ratio: number): number;
/**
 * Calls *done* once *threshold* of *target* was in the viewport of a visible page, or within *rootMargin* of it, for *ms*
 * without a break. The returned function stops it.
 */
export declare function watch(target: Element, threshold: number, rootMargin: string, ms: number, done: () => void): () => void;
