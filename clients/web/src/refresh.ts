/** When a slot is asked for another ad: loaded where a slot says so. */

import { partOf } from "./watching.js";

/** Sooner than this no ad gives way, whatever a slot says: what buyers of refreshed slots are promised. */
const LEAST_S = 30;
/** Of the box, in the viewport. */
const HALF = 0.5;

/**
 * Calls *again* once *box* was before its reader's eyes for *seconds* all in all, in a visible page; not while they point
 * at it, are in it, or hear or see something of it. The box shrinks no more, and *again* is told the height it takes, so
 * that nothing moves. Nothing happens once it *isOver*, or *box* has left its page.
 */
export function refresh(box: HTMLElement, seconds: number, isOver: () => boolean, again: (height: number) => unknown): void {
  let left = Math.max(seconds, LEAST_S);
  let inView = false;
  const threshold = partOf(box, HALF);
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, intersectionRatio } = entries.at(-1)!;
      inView = isIntersecting && intersectionRatio >= threshold;
    },
    { threshold },
  );
  observer.observe(box);
  const timer = setInterval(() => {
    const isEnd = isOver() || !box.isConnected;
    if (!isEnd && (!inView || document.hidden || --left > 0 || isBusy(box))) return;
    clearInterval(timer);
    observer.disconnect();
    if (isEnd) return;
    const { offsetHeight } = box;
    box.style.minHeight = `${offsetHeight}px`;
    again(offsetHeight);
  }, 1000);
}

function isBusy(box: HTMLElement): boolean {
  const player = box.querySelector<HTMLMediaElement>("audio,video");
  return box.matches(":hover,:focus-within") || (!!player?.played.length && !player.ended && !player.error);
}
