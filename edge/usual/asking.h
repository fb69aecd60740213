/* The doorman, what of a call it knows, and how it asks the edge (`edge.context`) for what is not here. */

#ifndef PLACARD_ASKING_H
#define PLACARD_ASKING_H

#include "edge/usual/cut.h"
#include "edge/usual/met.h"

#define CHANCE_BYTES 250

typedef enum { NOTHING, A_READER, A_PAGE, A_SOURCE, A_LEFT, AN_AD, MORE } Lack;

typedef struct {
    PyObject_HEAD
    PyObject *edge, *refuse, *machine_clock, *new_id_at;
    Memory readers, sources, pages, lefts;
    long long fresh_turn, fresh_until_ms;
    long long room_ms; /* the instant of the machine's clock in which the spool had room */
    uint64_t next_request;
    uint32_t process;
    int behind_proxies, lacks;
    size_t chance_left;
    unsigned char chance[CHANCE_BYTES];
} Doorman;

/* What a call is found to be; all of it borrowed from the memories. */
typedef struct {
    const Reader *reader;
    const Source *source;
    const Page *page;
    const Left *left;
    long long now_ms, turn;
    int is_machine_time;
} Known;

#define NAMES(name) \
    name(_next_seed) name(age_s) name(answered_at_once) name(budgets) name(bytes) name(clock) \
    name(commit) name(count) name(count_key) name(counters) name(dead_after_s) name(decisions) \
    name(edition) name(fill) name(find_current) name(geo) name(getrandbits) name(limiter) \
    name(metrics) name(nearly_full) name(new_token_id) name(now_ms) name(open_micros) \
    name(passes) name(peek_seed) name(rng) name(sampled_ppm) name(settings) name(snapshots) \
    name(spool) name(take) name(tally) name(turns)

#define DECLARED(name) static PyObject *s_##name;
NAMES(DECLARED)

static PyObject *one;

static int intern_names(void)
{
#define INTERNED(name)                                                                                        \
    if (!(s_##name = PyUnicode_InternFromString(#name)))                                                      \
        return -1;
    NAMES(INTERNED)
    return (one = PyLong_FromLong(1)) ? 0 : -1;
}

/* A new reference; *owner*'s attribute of that name. */
static PyObject *part_of(Doorman *self, PyObject *name)
{
    return PyObject_GetAttr(self->edge, name);
}

/* Takes *found* over; -1 with an error set where it is no number. */
static long long number_in(PyObject *found)
{
    if (!found)
        return -1;
    long long number = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return number;
}

/* Calls *name* of the context's *part* with one argument. */
static PyObject *ask_part(Doorman *self, PyObject *part, PyObject *name, PyObject *const *more, size_t count)
{
    PyObject *args[12];
    PyObject *owner = part_of(self, part), *found = NULL;
    if (!owner)
        return NULL;
    args[0] = owner;
    for (size_t at = 0; at < count; at++)
        args[at + 1] = more[at];
    found = PyObject_VectorcallMethod(name, args, count + 1, NULL);
    Py_DECREF(owner);
    return found;
}

static long long number_of(Doorman *self, PyObject *part, PyObject *name)
{
    PyObject *owner = part_of(self, part);
    if (!owner)
        return -1;
    long long number = number_in(PyObject_GetAttr(owner, name));
    Py_DECREF(owner);
    return number;
}

#endif
