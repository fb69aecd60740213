/** Decides when a slot requests another ad. Loaded if a slot has `refresh_seconds`. */

import { partOf } from "./watching.js";

/** The shortest time for which an ad is shown, whatever the slot sets. Buyers of refreshed slots rely on it. */
const LEAST_S = 30;
/** The part of the box that must be in the viewport. */
const HALF = 0.5;

/**
 * Calls *again* once *box* has been in view for *seconds* in all, in a visible page. It waits while the pointer is over the
 * box, the focus is in it, or media in it plays. *again* receives the height of the box, which stays its least height, so
 * that nothing moves. It stops if *isOver* returns true, or if *box* was removed from the page.
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
