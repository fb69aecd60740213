/* Counts by row, country and device, compared by identity. Counting one more creates no object. */

#ifndef PLACARD_SERVE_COUNTER_H
#define PLACARD_SERVE_COUNTER_H

#include <Python.h>
#include <stdint.h>

#define COUNTER_PLACES 16384 /* a power of two */
#define COUNTER_MAX (COUNTER_PLACES / 4 * 3)

typedef struct {
    PyObject *row, *country, *device; /* NULL: a free place */
    long long count;
} GroupCount;

typedef struct {
    PyObject_HEAD
    int used;
    GroupCount *counts;
} GroupedCounter;

static inline uint64_t pointer_bits(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer >> 4;
}

/*
 * Returns 0 if there is no room for another key: the caller must then count it elsewhere.
 * Inline, because two extensions call it: the counter's own, and the serve cache twice for each request.
 */
static inline int add_count(GroupedCounter *counter, PyObject *row, PyObject *country, PyObject *device)
{
    uint64_t hash = (pointer_bits(row) * 31 + pointer_bits(country)) * 31 + pointer_bits(device);
    hash *= 0x9E3779B97F4A7C15u;
    for (uint64_t at = hash >> 40;; at++) {
        GroupCount *count = &counter->counts[at & (COUNTER_PLACES - 1)];
        if (count->row == row && count->country == country && count->device == device) {
            count->count++;
            return 1;
        }
        if (count->row)
            continue;
        if (counter->used == COUNTER_MAX)
            return 0;
        counter->used++;
        *count = (GroupCount){Py_NewRef(row), Py_NewRef(country), Py_NewRef(device), 1};
        return 1;
    }
}

#endif
