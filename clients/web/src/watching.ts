/** Observes which part of an element is in view, and for how long. */

/** Above this area (970×250 pixels) an ad counts as large, of which a smaller part must be in view (MRC). */
const LARGE_PX2 = 242_000;
const LARGE_RATIO = 0.3;

/** The part of an ad that must be in view: *ratio*, or less of a large ad. */
export function partOf({ offsetWidth, offsetHeight }: HTMLElement, ratio: number): number {
  return offsetWidth * offsetHeight > LARGE_PX2 ? LARGE_RATIO : ratio;
}

/**
 * Calls *done* once *threshold* of *target* was in the viewport of a visible page, or within *rootMargin* of it, for *ms*
 * without a break. The returned function stops it.
 */
export function watch(target: Element, threshold: number, rootMargin: string, ms: number, done: () => void): () => void {
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
