/*
 * One slot's ads in rank order, those of a block, as far as calls got to know them (`slot_candidates.py`). What it lacks it
 * names, and whoever answers the call instead tells it.
 */

#ifndef PLACARD_SLOT_SEGMENT_H
#define PLACARD_SLOT_SEGMENT_H

#include <Python.h>
#include <structmember.h>

#include "edge/fastpath/serve_cache/prepared_ad.h"

#define MAX_WORDS 256

typedef struct {
    NativeAd *ad; /* NULL: not told yet */
    long long objective_ppb;
    uint64_t weight;
    uint32_t campaign, order;
} RankSlot;

typedef struct NativeSlotSegment {
    PyObject_HEAD
    long long generation; /* the last snapshot it is right in, by `SnapshotHandle.turns`; -1: it is over */
    long long since_ms, until_ms, version, missing_run, missing_position;
    uint64_t number;
    PyObject *versions, *starts;
    PyObject *order; /* the last place's, as the index has it; NULL: there is none */
    struct NativeSlotSegment *next; /* of the block after this one; NULL: not told */
    int block, words, runs, complete; /* *words*: 0 where there are too many. *complete*: there are no more runs than
                                         the ones told */
    int count, room;
    uint16_t *positions; /* by rank */
    RankSlot *slots;
} NativeSlotSegment;

static uint64_t segments_made;

static PyObject *new_segment(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *versions, *starts;
    long long since_ms, until_ms, version;
    int words, block;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "iLLLiO!O!", &words, &since_ms, &until_ms, &version, &block, &PyList_Type,
                          &versions, &PyList_Type, &starts))
        return NULL;
    NativeSlotSegment *segment = (NativeSlotSegment *)type->tp_alloc(type, 0);
    if (!segment)
        return NULL;
    /* No caller's bits are as long as a line of no words, so that none is kept for it and no call reaches it. */
    segment->words = words > 0 && words <= MAX_WORDS ? words : 0;
    segment->version = version, segment->block = block;
    segment->since_ms = since_ms, segment->until_ms = until_ms;
    segment->versions = Py_NewRef(versions), segment->starts = Py_NewRef(starts);
    segment->generation = block >= 0 ? 0 : -1;
    segment->missing_run = segment->missing_position = -1;
    segment->number = ++segments_made;
    return (PyObject *)segment;
}

/* end(): nobody asks it any more, and it lets go of what it holds. */
static PyObject *segment_end(NativeSlotSegment *segment, PyObject *none)
{
    (void)none;
    segment->generation = -1;
    for (int rank = 0; rank < segment->count; rank++)
        Py_CLEAR(segment->slots[rank].ad);
    PyMem_Free(segment->slots);
    PyMem_Free(segment->positions);
    segment->slots = NULL, segment->positions = NULL;
    segment->count = segment->room = 0;
    Py_CLEAR(segment->next);
    Py_CLEAR(segment->order);
    Py_RETURN_NONE;
}

static void free_segment(NativeSlotSegment *segment)
{
    Py_DECREF(segment_end(segment, NULL));
    Py_XDECREF(segment->versions);
    Py_XDECREF(segment->starts);
    Py_TYPE(segment)->tp_free(segment);
}

static int make_room(NativeSlotSegment *segment, int count)
{
    if (count <= segment->room)
        return 0;
    int room = count * 2;
    RankSlot *slots = PyMem_Realloc(segment->slots, (size_t)room * sizeof(RankSlot));
    if (slots)
        segment->slots = slots;
    uint16_t *positions = PyMem_Realloc(segment->positions, (size_t)room * sizeof(uint16_t));
    if (positions)
        segment->positions = positions;
    if (!slots || !positions) {
        PyErr_NoMemory();
        return -1;
    }
    segment->room = room;
    return 0;
}

/* put_run(number, [(position, number of the order)], is_last, order): in rank order, each behind the one before. */
static PyObject *segment_put_run(NativeSlotSegment *segment, PyObject *args)
{
    int number, is_last;
    PyObject *run, *last;
    if (!PyArg_ParseTuple(args, "iO!pO", &number, &PyList_Type, &run, &is_last, &last))
        return NULL;
    segment->missing_run = -1;
    if (segment->generation < 0 || number != segment->runs)
        Py_RETURN_NONE;
    int count = (int)PyList_GET_SIZE(run);
    if (make_room(segment, segment->count + count))
        return NULL;
    for (int at = 0; at < count; at++) {
        int position;
        unsigned int order;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(run, at), "iI", &position, &order))
            return NULL;
        if (position < 0 || position >= segment->words * 64)
            continue; /* stands in another slot */
        segment->positions[segment->count] = (uint16_t)position;
        segment->slots[segment->count++] = (RankSlot){.order = order};
    }
    if (count)
        Py_XSETREF(segment->order, Py_NewRef(last));
    segment->runs++;
    segment->complete = is_last;
    Py_RETURN_NONE;
}

/* put_ad(position, ad, campaign, weight, objective_ppb): *campaign*: a number for it. */
static PyObject *segment_put_ad(NativeSlotSegment *segment, PyObject *args)
{
    int position;
    unsigned int campaign;
    unsigned long long weight;
    long long objective_ppb;
    PyObject *ad;
    if (!PyArg_ParseTuple(args, "iO!IKL", &position, &NativeAdType, &ad, &campaign, &weight, &objective_ppb))
        return NULL;
    segment->missing_position = -1;
    for (int rank = 0; rank < segment->count; rank++) {
        RankSlot *slot = &segment->slots[rank];
        if (segment->positions[rank] != position)
            continue;
        Py_XSETREF(slot->ad, (NativeAd *)Py_NewRef(ad));
        slot->campaign = campaign, slot->weight = weight, slot->objective_ppb = objective_ppb;
    }
    Py_RETURN_NONE;
}

/* put_next(line): never one of a block before it. */
static PyObject *segment_put_next(NativeSlotSegment *segment, PyObject *next)
{
    if (Py_TYPE(next) != Py_TYPE(segment) || ((NativeSlotSegment *)next)->block != segment->block + 1)
        return PyErr_Format(PyExc_ValueError, "not the line of the next block");
    if (segment->generation >= 0)
        Py_XSETREF(segment->next, (NativeSlotSegment *)Py_NewRef(next));
    Py_RETURN_NONE;
}

static PyMethodDef SEGMENT_METHODS[] = {
    {"put_run", (PyCFunction)segment_put_run, METH_VARARGS, NULL},
    {"put_ad", (PyCFunction)segment_put_ad, METH_VARARGS, NULL},
    {"put_next", (PyCFunction)segment_put_next, METH_O, NULL},
    {"end", (PyCFunction)segment_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef SEGMENT_MEMBERS[] = {
    {"generation", T_LONGLONG, offsetof(NativeSlotSegment, generation), 0, NULL},
    {"missing_run", T_LONGLONG, offsetof(NativeSlotSegment, missing_run), READONLY, NULL},
    {"missing_position", T_LONGLONG, offsetof(NativeSlotSegment, missing_position), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject NativeSlotSegmentType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeSlotSegment",
    .tp_basicsize = sizeof(NativeSlotSegment),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_segment,
    .tp_dealloc = (destructor)free_segment,
    .tp_methods = SEGMENT_METHODS,
    .tp_members = SEGMENT_MEMBERS,
};

/* Whether it is right in that snapshot and at that instant. */
static int is_segment_current(const NativeSlotSegment *segment, long long generation, long long now_ms)
{
    if (segment->generation != generation || now_ms < segment->since_ms || now_ms >= segment->until_ms)
        return 0;
    if (PyList_GET_SIZE(segment->versions) <= segment->block)
        return 0;
    long long version = PyLong_AsLongLong(PyList_GET_ITEM(segment->versions, segment->block));
    return version == segment->version;
}

#endif
