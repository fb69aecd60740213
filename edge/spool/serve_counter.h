/* Counts by row, country and device, compared by identity. Counting one more creates no object. */

#ifndef PLACARD_SERVE_COUNTER_H
#define PLACARD_SERVE_COUNTER_H

#include <Python.h>
#include <stdint.h>

#define TALLY_PLACES 16384 /* a power of two */
#define TALLY_MOST (TALLY_PLACES / 4 * 3)

typedef struct {
    PyObject *row, *country, *device; /* NULL: a free entry */
    long long count;
} Count;

typedef struct {
    PyObject_HEAD
    int used;
    Count *counts;
} GroupedCounter;

static inline uint64_t mixed_pointer(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer >> 4;
}

/* Returns 0 if there is no room for another key: the caller must then count it elsewhere. */
static int tally_add(GroupedCounter *tally, PyObject *row, PyObject *country, PyObject *device)
{
    uint64_t hash = (mixed_pointer(row) * 31 + mixed_pointer(country)) * 31 + mixed_pointer(device);
    hash *= 0x9E3779B97F4A7C15u;
    for (uint64_t at = hash >> 40;; at++) {
        Count *count = &tally->counts[at & (TALLY_PLACES - 1)];
        if (count->row == row && count->country == country && count->device == device) {
            count->count++;
            return 1;
        }
        if (count->row)
            continue;
        if (tally->used == TALLY_MOST)
            return 0;
        tally->used++;
        *count = (Count){Py_NewRef(row), Py_NewRef(country), Py_NewRef(device), 1};
        return 1;
    }
}

#endif
