/** Decides when a slot requests another ad. Loaded if a slot has `refresh_seconds`. */
/**
 * Calls *again* once *box* has been in view for *seconds* in all, in a visible page. It waits while the pointer is over the
 * box, the focus is in it, or media in it plays. *again* receives the height of the box, which stays its least height, so
 * that nothing moves. It stops if *isOver* returns true, or if *box* was removed from the page.
 */
export declare function refresh(box: HTMLElement, seconds: number, isOver: () => boolean, again: (height: number) => unknown): void;
