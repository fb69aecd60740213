/** What a reader has before their eyes, and for how long. */

/** Beyond this an ad counts as large, of which less must be seen (MRC): more than 970×250. */
const LARGE_PX2 = 242_000;
const LARGE_RATIO = 0.3;

/** Calls *done* once *target* is in the viewport or near it. The answer stops it. */
export function whenNear(target: Element, done: () => void): () => void {
  return watch(target, 0, "200px", 0, done);
}

/** Calls *done* once *ratio* of *target* was in the viewport of a visible page for *ms* on end. The answer stops it. */
export function whenViewable(target: HTMLElement, ratio: number, ms: number, done: () => void): () => void {
  const isLarge = target.offsetWidth * target.offsetHeight > LARGE_PX2;
  return watch(target, isLarge ? LARGE_RATIO : ratio, "0px", ms, done);
}

function watch(target: Element, threshold: number, rootMargin: string, ms: number, done: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let inView = false;
  const look = (): void => {
    clearTimeout(timer);
    if (inView && !document.hidden)
      timer = setTimeout(() => {
        stop();
        done();
      }, ms);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, intersectionRatio } = entries.at(-1)!;
      inView = isIntersecting && intersectionRatio >= threshold;
      look();
    },
    { threshold, rootMargin },
  );
  const stop = (): void => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener("visibilitychange", look);
  };
  document.addEventListener("visibilitychange", look);
  observer.observe(target);
  return stop;
}
