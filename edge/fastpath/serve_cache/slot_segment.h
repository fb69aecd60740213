/*
 * One slot's ads in rank order, those of a block, as far as calls got to know them (`slot_line.py`). What it lacks it
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
} Place;

typedef struct NativeSlotSegment {
    PyObject_HEAD
    long long turn; /* the last snapshot it is right in, by `SnapshotHandle.turns`; -1: it is over */
    long long since_ms, until_ms, version, wanted_run, wanted_position;
    uint64_t number;
    PyObject *versions, *starts;
    PyObject *order; /* the last place's, as the index has it; NULL: there is none */
    struct NativeSlotSegment *next; /* of the block after this one; NULL: not told */
    int block, words, runs, is_whole; /* *words*: 0 where there are too many. *is_whole*: there are no more runs than
                                         the ones told */
    int count, room;
    uint16_t *positions; /* by rank */
    Place *places;
} NativeSlotSegment;

static uint64_t lines_made;

static PyObject *new_line(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *versions, *starts;
    long long since_ms, until_ms, version;
    int words, block;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "iLLLiO!O!", &words, &since_ms, &until_ms, &version, &block, &PyList_Type,
                          &versions, &PyList_Type, &starts))
        return NULL;
    NativeSlotSegment *line = (NativeSlotSegment *)type->tp_alloc(type, 0);
    if (!line)
        return NULL;
    /* No caller's bits are as long as a line of no words, so that none is kept for it and no call reaches it. */
    line->words = words > 0 && words <= MAX_WORDS ? words : 0;
    line->version = version, line->block = block;
    line->since_ms = since_ms, line->until_ms = until_ms;
    line->versions = Py_NewRef(versions), line->starts = Py_NewRef(starts);
    line->turn = block >= 0 ? 0 : -1;
    line->wanted_run = line->wanted_position = -1;
    line->number = ++lines_made;
    return (PyObject *)line;
}

/* end(): nobody asks it any more, and it lets go of what it holds. */
static PyObject *line_end(NativeSlotSegment *line, PyObject *none)
{
    (void)none;
    line->turn = -1;
    for (int rank = 0; rank < line->count; rank++)
        Py_CLEAR(line->places[rank].ad);
    PyMem_Free(line->places);
    PyMem_Free(line->positions);
    line->places = NULL, line->positions = NULL;
    line->count = line->room = 0;
    Py_CLEAR(line->next);
    Py_CLEAR(line->order);
    Py_RETURN_NONE;
}

static void free_line(NativeSlotSegment *line)
{
    Py_DECREF(line_end(line, NULL));
    Py_XDECREF(line->versions);
    Py_XDECREF(line->starts);
    Py_TYPE(line)->tp_free(line);
}

static int make_room(NativeSlotSegment *line, int count)
{
    if (count <= line->room)
        return 0;
    int room = count * 2;
    Place *places = PyMem_Realloc(line->places, (size_t)room * sizeof(Place));
    if (places)
        line->places = places;
    uint16_t *positions = PyMem_Realloc(line->positions, (size_t)room * sizeof(uint16_t));
    if (positions)
        line->positions = positions;
    if (!places || !positions) {
        PyErr_NoMemory();
        return -1;
    }
    line->room = room;
    return 0;
}

/* put_run(number, [(position, number of the order)], is_last, order): in rank order, each behind the one before. */
static PyObject *line_put_run(NativeSlotSegment *line, PyObject *args)
{
    int number, is_last;
    PyObject *run, *last;
    if (!PyArg_ParseTuple(args, "iO!pO", &number, &PyList_Type, &run, &is_last, &last))
        return NULL;
    line->wanted_run = -1;
    if (line->turn < 0 || number != line->runs)
        Py_RETURN_NONE;
    int count = (int)PyList_GET_SIZE(run);
    if (make_room(line, line->count + count))
        return NULL;
    for (int at = 0; at < count; at++) {
        int position;
        unsigned int order;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(run, at), "iI", &position, &order))
            return NULL;
        if (position < 0 || position >= line->words * 64)
            continue; /* stands in another slot */
        line->positions[line->count] = (uint16_t)position;
        line->places[line->count++] = (Place){.order = order};
    }
    if (count)
        Py_XSETREF(line->order, Py_NewRef(last));
    line->runs++;
    line->is_whole = is_last;
    Py_RETURN_NONE;
}

/* put_ad(position, ad, campaign, weight, objective_ppb): *campaign*: a number for it. */
static PyObject *line_put_ad(NativeSlotSegment *line, PyObject *args)
{
    int position;
    unsigned int campaign;
    unsigned long long weight;
    long long objective_ppb;
    PyObject *ad;
    if (!PyArg_ParseTuple(args, "iO!IKL", &position, &MetAdType, &ad, &campaign, &weight, &objective_ppb))
        return NULL;
    line->wanted_position = -1;
    for (int rank = 0; rank < line->count; rank++) {
        Place *place = &line->places[rank];
        if (line->positions[rank] != position)
            continue;
        Py_XSETREF(place->ad, (NativeAd *)Py_NewRef(ad));
        place->campaign = campaign, place->weight = weight, place->objective_ppb = objective_ppb;
    }
    Py_RETURN_NONE;
}

/* put_next(line): never one of a block before it. */
static PyObject *line_put_next(NativeSlotSegment *line, PyObject *next)
{
    if (Py_TYPE(next) != Py_TYPE(line) || ((NativeSlotSegment *)next)->block != line->block + 1)
        return PyErr_Format(PyExc_ValueError, "not the line of the next block");
    if (line->turn >= 0)
        Py_XSETREF(line->next, (NativeSlotSegment *)Py_NewRef(next));
    Py_RETURN_NONE;
}

static PyMethodDef LINE_METHODS[] = {
    {"put_run", (PyCFunction)line_put_run, METH_VARARGS, NULL},
    {"put_ad", (PyCFunction)line_put_ad, METH_VARARGS, NULL},
    {"put_next", (PyCFunction)line_put_next, METH_O, NULL},
    {"end", (PyCFunction)line_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef LINE_MEMBERS[] = {
    {"turn", T_LONGLONG, offsetof(NativeSlotSegment, turn), 0, NULL},
    {"wanted_run", T_LONGLONG, offsetof(NativeSlotSegment, wanted_run), READONLY, NULL},
    {"wanted_position", T_LONGLONG, offsetof(NativeSlotSegment, wanted_position), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject MetLineType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeSlotSegment",
    .tp_basicsize = sizeof(NativeSlotSegment),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_line,
    .tp_dealloc = (destructor)free_line,
    .tp_methods = LINE_METHODS,
    .tp_members = LINE_MEMBERS,
};

/* Whether it is right in that snapshot and at that instant. */
static int line_holds(const NativeSlotSegment *line, long long turn, long long now_ms)
{
    if (line->turn != turn || now_ms < line->since_ms || now_ms >= line->until_ms)
        return 0;
    if (PyList_GET_SIZE(line->versions) <= line->block)
        return 0;
    long long version = PyLong_AsLongLong(PyList_GET_ITEM(line->versions, line->block));
    return version == line->version;
}

#endif
