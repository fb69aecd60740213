/** What a reader has before their eyes, and for how long. */
/** Of an ad for which *ratio* is said, how much must be seen. */
export declare function partOf({ offsetWidth, offsetHeight }: HTMLElement, ratio: number): number;
/**
 * Calls *done* once *threshold* of *target* was in the viewport of a visible page, or within *rootMargin* of it, for *ms* on
 * end. The answer stops it.
 */
export declare function watch(target: Element, threshold: number, rootMargin: string, ms: number, done: () => void): () => void;
