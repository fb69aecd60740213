/*
 * One slot's ads in rank order, as far as calls got to know them (`slot_line.py`): who of them shows to a caller whom
 * page and reader leave certain ones. What it lacks it names, and whoever answers the call instead tells it.
 */

#ifndef PLACARD_LINE_H
#define PLACARD_LINE_H

#include <Python.h>
#include <structmember.h>

#include "edge/usual/ready.h"

#define MOST_WORDS 256
#define MOST_OF_GROUP 64
#define PPM 1000000

typedef struct {
    MetAd *ad; /* NULL: not told yet */
    long long objective_ppb;
    uint64_t weight;
    uint32_t campaign, order;
} Place;

typedef struct {
    PyObject_HEAD
    long long turn; /* the last snapshot it is right in, by `SnapshotHandle.turns`; -1: it is over */
    long long since_ms, until_ms, version, wanted_run, wanted_position;
    uint64_t number;
    PyObject *versions, *starts;
    int words, runs, is_whole; /* *is_whole*: there are no more runs than the ones told */
    int count, room;
    uint16_t *positions; /* by rank */
    Place *places;
} MetLine;

typedef struct {
    PyObject *budgets, *passes; /* borrowed */
    uint64_t seed;
} Coins;

static uint64_t lines_made;

static PyObject *new_line(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *versions, *starts;
    long long since_ms, until_ms, version;
    int words;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "iLLLO!O!", &words, &since_ms, &until_ms, &version, &PyList_Type,
                          &versions, &PyList_Type, &starts))
        return NULL;
    MetLine *line = (MetLine *)type->tp_alloc(type, 0);
    if (!line)
        return NULL;
    line->words = words, line->version = version;
    line->since_ms = since_ms, line->until_ms = until_ms;
    line->versions = Py_NewRef(versions), line->starts = Py_NewRef(starts);
    line->turn = words > 0 && words <= MOST_WORDS ? 0 : -1;
    line->wanted_run = line->wanted_position = -1;
    line->number = ++lines_made;
    return (PyObject *)line;
}

/* end(): nobody asks it any more, and it lets go of what it holds. */
static PyObject *line_end(MetLine *line, PyObject *none)
{
    (void)none;
    line->turn = -1;
    for (int rank = 0; rank < line->count; rank++)
        Py_CLEAR(line->places[rank].ad);
    PyMem_Free(line->places);
    PyMem_Free(line->positions);
    line->places = NULL, line->positions = NULL;
    line->count = line->room = 0;
    Py_RETURN_NONE;
}

static void free_line(MetLine *line)
{
    Py_DECREF(line_end(line, NULL));
    Py_XDECREF(line->versions);
    Py_XDECREF(line->starts);
    Py_TYPE(line)->tp_free(line);
}

static int make_room(MetLine *line, int count)
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

/* put_run(number, [(position, order)], is_last): in rank order, each run behind the one before. */
static PyObject *line_put_run(MetLine *line, PyObject *args)
{
    int number, is_last;
    PyObject *run;
    if (!PyArg_ParseTuple(args, "iO!p", &number, &PyList_Type, &run, &is_last))
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
    line->runs++;
    line->is_whole = is_last;
    Py_RETURN_NONE;
}

/* put_ad(position, ad, campaign, weight, objective_ppb): *campaign*: a number for it. */
static PyObject *line_put_ad(MetLine *line, PyObject *args)
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
        Py_XSETREF(place->ad, (MetAd *)Py_NewRef(ad));
        place->campaign = campaign, place->weight = weight, place->objective_ppb = objective_ppb;
    }
    Py_RETURN_NONE;
}

static PyMethodDef LINE_METHODS[] = {
    {"put_run", (PyCFunction)line_put_run, METH_VARARGS, NULL},
    {"put_ad", (PyCFunction)line_put_ad, METH_VARARGS, NULL},
    {"end", (PyCFunction)line_end, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef LINE_MEMBERS[] = {
    {"turn", T_LONGLONG, offsetof(MetLine, turn), 0, NULL},
    {"wanted_run", T_LONGLONG, offsetof(MetLine, wanted_run), READONLY, NULL},
    {"wanted_position", T_LONGLONG, offsetof(MetLine, wanted_position), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject MetLineType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.usual.doorman.MetLine",
    .tp_basicsize = sizeof(MetLine),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_line,
    .tp_dealloc = (destructor)free_line,
    .tp_methods = LINE_METHODS,
    .tp_members = LINE_MEMBERS,
};

/* Whether it is right in that snapshot and at that instant. */
static int line_holds(const MetLine *line, long long turn, long long now_ms)
{
    if (line->turn != turn || now_ms < line->since_ms || now_ms >= line->until_ms)
        return 0;
    if (!PyList_GET_SIZE(line->versions))
        return 0;
    long long version = PyLong_AsLongLong(PyList_GET_ITEM(line->versions, 0));
    return version == line->version;
}

/* As `common.decision.mixing` has it. */
static uint64_t mixed_bits(uint64_t seed, uint64_t salt)
{
    uint64_t z = seed + salt * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int lets_pass(long long pass_ppm, const MetAd *ad, uint64_t seed)
{
    return pass_ppm >= PPM || (long long)(mixed_bits(seed, ad->salt) % PPM) < pass_ppm;
}

/* A number of *lookup* by the campaign's id; -1 with an error set. */
static long long look_up(PyObject *lookup, const MetAd *ad, long long otherwise)
{
    static PyObject *get;
    if (!get && !(get = PyUnicode_InternFromString("get")))
        return -1;
    if (PyDict_CheckExact(lookup)) {
        PyObject *found = PyDict_GetItemWithError(lookup, ad->campaign_id);
        return found ? PyLong_AsLongLong(found) : PyErr_Occurred() ? -1 : otherwise;
    }
    PyObject *number = PyLong_FromLongLong(otherwise);
    if (!number)
        return -1;
    PyObject *args[] = {lookup, ad->campaign_id, number};
    PyObject *found = PyObject_VectorcallMethod(get, args, 3, NULL);
    Py_DECREF(number);
    if (!found)
        return -1;
    long long value = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return value;
}

typedef enum { FAILS = -1, SHOWS, DROPS, ASKS } Turn;

/* `ReadyAd.turn`. */
static Turn turn_of(const MetAd *ad, const Coins *coins)
{
    if (ad->asks)
        return ASKS;
    if (ad->closed)
        return DROPS;
    if (ad->spends) {
        long long open_micros = look_up(coins->budgets, ad, 0);
        if (open_micros < ad->expected_micros)
            return PyErr_Occurred() ? FAILS : DROPS;
        long long pass_ppm = PyDict_CheckExact(coins->passes) && !PyDict_GET_SIZE(coins->passes)
                                 ? PPM
                                 : look_up(coins->passes, ad, PPM);
        if (pass_ppm == -1 && PyErr_Occurred())
            return FAILS;
        if (!lets_pass(pass_ppm, ad, coins->seed))
            return DROPS;
    }
    return ad->pass_ppm >= 0 && !lets_pass(ad->pass_ppm, ad, coins->seed) ? DROPS : SHOWS;
}

static inline int fits_at(const MetLine *line, const uint64_t *fits, int rank)
{
    int position = line->positions[rank];
    return (int)(fits[position >> 6] >> (position & 63) & 1);
}

/* The group of *rank* among those who fit, into *group*; its size, or 0 where more must be known. */
static int gather(MetLine *line, const uint64_t *fits, int rank, int *group)
{
    int count = 0;
    uint32_t order = line->places[rank].order;
    for (; rank < line->count && line->places[rank].order == order; rank++) {
        if (!fits_at(line, fits, rank))
            continue;
        if (count == MOST_OF_GROUP)
            return 0;
        group[count++] = rank;
    }
    if (rank < line->count)
        return count;
    if (!line->is_whole) {
        line->wanted_run = line->runs;
        return 0;
    }
    return PyList_GET_SIZE(line->starts) == 1 ? count : 0; /* it may go on in the next block */
}

/* Whether *group* is all of one campaign; -1 where its ads promise unequally much, or are not told yet. */
static int is_of_one(MetLine *line, const int *group, int count)
{
    const Place *places = line->places;
    int of_one = 1;
    for (int at = 0; at < count; at++) {
        const Place *place = &places[group[at]];
        if (!place->ad || place->ad->turn != line->turn) {
            line->wanted_position = line->positions[group[at]];
            return -1;
        }
        of_one &= place->campaign == places[group[0]].campaign;
        if (count > 1 && place->objective_ppb != places[group[0]].objective_ppb)
            return -1;
    }
    return of_one;
}

/* The first of a group in the order that the seed draws by weight: `Group.find_first`. */
static MetAd *first_of(const MetLine *line, const int *group, int count, uint64_t seed)
{
    uint64_t sum = 0, drawn, end = 0;
    if (count == 1)
        return line->places[group[0]].ad;
    for (int at = 0; at < count; at++)
        sum += line->places[group[at]].weight;
    if (!sum)
        return NULL;
    drawn = seed % sum;
    for (int at = 0; at < count; at++)
        if (drawn < (end += line->places[group[at]].weight))
            return line->places[group[at]].ad;
    return NULL;
}

/* `SlotLine.choose`: the ad that shows; NULL where that cannot be told here, or with an error set. */
static MetAd *choose_ad(MetLine *line, const uint64_t *page, const uint64_t *reader, const Coins *coins)
{
    uint64_t fits[MOST_WORDS];
    int group[MOST_OF_GROUP];
    for (int word = 0; word < line->words; word++)
        fits[word] = page[word] & reader[word];
    for (int rank = 0; rank < line->count;) {
        if (!fits_at(line, fits, rank)) {
            rank++;
            continue;
        }
        int count = gather(line, fits, rank, group);
        int of_one = count ? is_of_one(line, group, count) : -1;
        MetAd *ad = of_one < 0 ? NULL : first_of(line, group, count, coins->seed);
        if (!ad)
            return NULL;
        Turn turn = turn_of(ad, coins);
        if (turn == SHOWS)
            return ad;
        if (turn != DROPS || !of_one)
            return NULL;
        rank = group[count - 1] + 1;
    }
    if (!line->is_whole)
        line->wanted_run = line->runs;
    return NULL;
}

#endif
