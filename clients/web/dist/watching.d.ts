/** What a reader has before their eyes, and for how long. */
/** Calls *done* once *target* is in the viewport or near it. The answer stops it. */
export declare function whenNear(target: Element, done: () => void): () => void;
/** Calls *done* once *ratio* of *target* was in the viewport of a visible page for *ms* on end. The answer stops it. */
export declare function whenViewable(target: HTMLElement, ratio: number, ms: number, done: () => void): () => void;
