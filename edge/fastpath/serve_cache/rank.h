/* Who of a line shows to a caller whom page and reader leave certain ones. */

#ifndef PLACARD_RANK_H
#define PLACARD_RANK_H

#include <Python.h>

#include "edge/fastpath/serve_cache/slot_segment.h"

#define MAX_OF_GROUP 64
#define PPM 1000000
#define MAX_UNANSWERED 64 /* `common.decision.rules.gates` */

typedef struct {
    PyObject *budgets, *passes; /* borrowed */
    uint64_t seed;
    int unanswered; /* budgets of which nobody has said what is open, in this call */
} Coins;

/* As `common.decision.rules.splitmix64` has it. */
static uint64_t mixed_bits(uint64_t seed, uint64_t salt)
{
    uint64_t z = seed + salt * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int lets_pass(long long pass_ppm, const NativeAd *ad, uint64_t seed)
{
    return pass_ppm >= PPM || (long long)(mixed_bits(seed, ad->salt) % PPM) < pass_ppm;
}

/* A number of *lookup* by the campaign's id; -1 with an error set. */
static long long look_up(PyObject *lookup, const NativeAd *ad, long long otherwise)
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

/* `ReadyAd.turn`, for *count* ads of its campaign. */
static Turn turn_of(const NativeAd *ad, Coins *coins, int count)
{
    if (ad->asks)
        return ASKS;
    if (ad->closed)
        return DROPS;
    if (ad->spends) {
        long long open_micros = look_up(coins->budgets, ad, 0);
        if (open_micros < 0) {
            if (PyErr_Occurred())
                return FAILS;
            coins->unanswered += count;
            return coins->unanswered < MAX_UNANSWERED ? DROPS : ASKS;
        }
        if (open_micros < ad->expected_micros)
            return DROPS;
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

static inline int fits_at(const NativeSlotSegment *line, const uint64_t *fits, int rank)
{
    int position = line->positions[rank];
    return (int)(fits[position >> 6] >> (position & 63) & 1);
}

/* Whether the next block may go on with the order of the last place; -1 with an error set. */
static int goes_on_behind(const NativeSlotSegment *line)
{
    if (PyList_GET_SIZE(line->starts) <= line->block + 1)
        return 0;
    PyObject *start = PyList_GET_ITEM(line->starts, line->block + 1);
    if (!line->order || !PyTuple_Check(start) || !PyTuple_GET_SIZE(start))
        return 1;
    return PyObject_RichCompareBool(PyTuple_GET_ITEM(start, 0), line->order, Py_EQ);
}

/* The group of *rank* among those who fit, into *group*; its size, or 0 where more must be known. */
static int gather(NativeSlotSegment *line, const uint64_t *fits, int rank, int *group)
{
    int count = 0;
    uint32_t order = line->places[rank].order;
    for (; rank < line->count && line->places[rank].order == order; rank++) {
        if (!fits_at(line, fits, rank))
            continue;
        if (count == MAX_OF_GROUP)
            return 0;
        group[count++] = rank;
    }
    if (rank < line->count)
        return count;
    if (!line->is_whole) {
        line->wanted_run = line->runs;
        return 0;
    }
    int goes_on = goes_on_behind(line);
    return goes_on ? 0 : count;
}

/* Whether *group* is all of one campaign; -1 where its ads promise unequally much, or are not told yet. */
static int is_of_one(NativeSlotSegment *line, const int *group, int count)
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
static NativeAd *first_of(const NativeSlotSegment *line, const int *group, int count, uint64_t seed)
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

/*
 * `SlotLine.choose`: the ad that shows; NULL where that cannot be told here, or with an error set. *is_past*: nobody of
 * the line shows, so that the next one goes on.
 */
static NativeAd *choose_ad(NativeSlotSegment *line, const uint64_t *page, const uint64_t *reader, Coins *coins,
                        int *is_past)
{
    *is_past = 0;
    uint64_t fits[MAX_WORDS];
    int group[MAX_OF_GROUP];
    for (int word = 0; word < line->words; word++)
        fits[word] = page[word] & reader[word];
    for (int rank = 0; rank < line->count;) {
        if (!fits_at(line, fits, rank)) {
            rank++;
            continue;
        }
        int count = gather(line, fits, rank, group);
        int of_one = count ? is_of_one(line, group, count) : -1;
        NativeAd *ad = of_one < 0 ? NULL : first_of(line, group, count, coins->seed);
        if (!ad)
            return NULL;
        Turn turn = turn_of(ad, coins, count);
        if (turn == SHOWS)
            return ad;
        if (turn != DROPS || !of_one)
            return NULL;
        rank = group[count - 1] + 1;
    }
    if (!line->is_whole)
        line->wanted_run = line->runs;
    *is_past = line->is_whole;
    return NULL;
}

#endif
