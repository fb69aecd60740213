/** When a slot is asked for another ad: loaded where a slot says so. */
/**
 * Calls *again* once *box* was before its reader's eyes for *seconds* all in all, in a visible page; not while they point
 * at it, are in it, or hear or see something of it. The box shrinks no more, and *again* is told the height it takes, so
 * that nothing moves. Nothing happens once it *isOver*, or *box* has left its page.
 */
export declare function refresh(box: HTMLElement, seconds: number, isOver: () => boolean, again: (height: number) => unknown): void;
