/* Picks the ad for a request from the candidates that both the page's and the client's targeting masks allow. */

#ifndef PLACARD_RANK_H
#define PLACARD_RANK_H

#include <Python.h>

#include "edge/fastpath/serve_cache/slot_segment.h"

#define PPM 1000000

typedef struct {
    PyObject *budgets, *pass_rates; /* borrowed */
    uint64_t seed;
    int unknown_budgets; /* ads of this request whose available budget is unknown */
} PacingDraw;

/*
 * Returns the ad that `common.decision.decide` would choose; NULL where the segment cannot decide, or with an error set.
 * *page*, *client*: masks of the segment's length. *exhausted*: no ad of the segment can be shown, so the next segment
 * is tried.
 */
NativeAd *pick_from_segment(NativeSlotSegment *segment, const uint64_t *page, const uint64_t *client, PacingDraw *draw,
                            int *exhausted);

#endif
