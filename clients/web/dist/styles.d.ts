/** How the element looks by itself: adopted, not inlined, so that pages with a strict policy take it. */
export declare function dress(root: ShadowRoot): void;
