/*
 * The ads of one slot in one block, in rank order, as far as requests have needed them. A lookup records which run or
 * position is missing; `slot_candidates.py` then inserts it.
 */

#ifndef PLACARD_SLOT_SEGMENT_H
#define PLACARD_SLOT_SEGMENT_H

#include <Python.h>

#include "edge/fastpath/serve_cache/prepared_ad.h"

#define MAX_WORDS 256

typedef struct {
    NativeAd *ad; /* NULL: not inserted yet */
    long long objective_ppb;
    uint64_t weight;
    uint32_t campaign, order;
} RankSlot;

typedef struct NativeSlotSegment {
    PyObject_HEAD
    long long generation; /* the last snapshot that it is valid in, by `SnapshotHandle.generation`; -1: it has ended */
    long long since_ms, until_ms, version, missing_run, missing_position;
    uint64_t number;
    PyObject *versions, *starts;
    PyObject *order; /* order of the last position, as in the index; NULL: there is none */
    struct NativeSlotSegment *next; /* segment of the next block; NULL: not inserted */
    int block, words, runs, complete; /* *words*: 0 where there are too many. *complete*: all runs are inserted */
    int count, room;
    uint16_t *positions; /* by rank */
    RankSlot *slots;
} NativeSlotSegment;

extern PyTypeObject NativeSlotSegmentType;

/* Whether the segment is valid in that snapshot and at that time; -1 with an error set. */
int is_segment_current(const NativeSlotSegment *segment, long long generation, long long now_ms);

#endif
