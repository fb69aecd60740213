#include "edge/fastpath/serve_cache/rank.h"

#include "common/decision/rules/splitmix64.h"

#define MAX_OF_GROUP 256
#define MAX_UNKNOWN_BUDGETS 64 /* `common.decision.rules.gates` */

static int passes_throttle(long long pass_ppm, const NativeAd *ad, uint64_t seed)
{
    return pass_ppm >= PPM || (long long)(splitmix64(seed, ad->salt) % PPM) < pass_ppm;
}

/* The number in *lookup* under the campaign's id, else *otherwise*; -1 with an error set. */
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

typedef enum { OUTCOME_ERROR = -1, OUTCOME_FILL, OUTCOME_SKIP, OUTCOME_FALL_BACK } ServeOutcome;

/* The gates of `common.decision.dynamic_gates` that may drop a cached ad, for *count* ads of the campaign. */
static ServeOutcome evaluate_ad(const NativeAd *ad, PacingDraw *draw, int count)
{
    if (ad->falls_back)
        return OUTCOME_FALL_BACK;
    if (ad->closed)
        return OUTCOME_SKIP;
    if (ad->spends) {
        long long available_micros = look_up(draw->budgets, ad, 0);
        if (available_micros < 0) {
            if (PyErr_Occurred())
                return OUTCOME_ERROR;
            draw->unknown_budgets += count;
            return draw->unknown_budgets < MAX_UNKNOWN_BUDGETS ? OUTCOME_SKIP : OUTCOME_FALL_BACK;
        }
        if (available_micros < ad->expected_micros)
            return OUTCOME_SKIP;
        long long pass_ppm = PyDict_CheckExact(draw->pass_rates) && !PyDict_GET_SIZE(draw->pass_rates)
                                 ? PPM
                                 : look_up(draw->pass_rates, ad, PPM);
        if (pass_ppm == -1 && PyErr_Occurred())
            return OUTCOME_ERROR;
        if (!passes_throttle(pass_ppm, ad, draw->seed))
            return OUTCOME_SKIP;
    }
    return ad->pass_ppm >= 0 && !passes_throttle(ad->pass_ppm, ad, draw->seed) ? OUTCOME_SKIP : OUTCOME_FILL;
}

static int is_eligible_at(const NativeSlotSegment *segment, const uint64_t *eligible, int rank)
{
    int position = segment->positions[rank];
    return (int)(eligible[position >> 6] >> (position & 63) & 1);
}

/* Whether the next block may begin with the order of the last position; -1 with an error set. */
static int continues_in_next_segment(const NativeSlotSegment *segment)
{
    if (segment->block < 0 || PyList_GET_SIZE(segment->starts) <= segment->block + 1)
        return 0;
    PyObject *start = PyList_GET_ITEM(segment->starts, segment->block + 1);
    if (!segment->order || !PyTuple_Check(start) || !PyTuple_GET_SIZE(start))
        return 1;
    Py_INCREF(start); /* a comparison may replace it in the list */
    int is_equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(start, 0), segment->order, Py_EQ);
    Py_DECREF(start);
    return is_equal;
}

/* Collects the eligible ads that tie with *rank* into *group*. Returns their number; 0 where ads may be missing. */
static int collect_ties(NativeSlotSegment *segment, const uint64_t *eligible, int rank, int *group)
{
    int count = 0;
    uint32_t order = segment->slots[rank].order;
    for (; rank < segment->count && segment->slots[rank].order == order; rank++) {
        if (!is_eligible_at(segment, eligible, rank))
            continue;
        if (count == MAX_OF_GROUP)
            return 0;
        group[count++] = rank;
    }
    if (rank < segment->count)
        return count;
    if (!segment->complete) {
        segment->missing_run = segment->runs;
        return 0;
    }
    int goes_on = continues_in_next_segment(segment);
    return goes_on ? 0 : count;
}

/* Whether an ad among the first *at* of *group* is of the same campaign and promises another amount of its objective. */
static int has_unequal_sibling(const RankSlot *slots, const int *group, int at)
{
    const RankSlot *slot = &slots[group[at]];
    for (int other = 0; other < at; other++)
        if (slots[group[other]].campaign == slot->campaign && slots[group[other]].objective_ppb != slot->objective_ppb)
            return 1;
    return 0;
}

/* Whether *group* is all of one campaign; -1 where an ad is not inserted yet, or where a campaign's ads are unequal. */
static int is_single_campaign(NativeSlotSegment *segment, const int *group, int count)
{
    const RankSlot *slots = segment->slots;
    int single_campaign = 1, unequal = 0;
    for (int at = 0; at < count; at++) {
        const RankSlot *slot = &slots[group[at]];
        if (!slot->ad || slot->ad->generation != segment->generation) {
            segment->missing_position = segment->positions[group[at]];
            return -1;
        }
        single_campaign &= slot->campaign == slots[group[0]].campaign;
        unequal |= slot->objective_ppb != slots[group[0]].objective_ppb;
    }
    for (int at = 1; unequal && at < count; at++)
        if (has_unequal_sibling(slots, group, at))
            return -1;
    return single_campaign;
}

/* The first of a group in the weighted order that the seed draws, as `TieGroup.find_first`. */
static NativeAd *first_of(const NativeSlotSegment *segment, const int *group, int count, uint64_t seed)
{
    uint64_t sum = 0, drawn, end = 0;
    if (count == 1)
        return segment->slots[group[0]].ad;
    for (int at = 0; at < count; at++)
        sum += segment->slots[group[at]].weight;
    if (!sum)
        return NULL;
    drawn = seed % sum;
    for (int at = 0; at < count; at++)
        if (drawn < (end += segment->slots[group[at]].weight))
            return segment->slots[group[at]].ad;
    return NULL;
}

NativeAd *pick_from_segment(NativeSlotSegment *segment, const uint64_t *page, const uint64_t *client, PacingDraw *draw,
                            int *exhausted)
{
    *exhausted = 0;
    segment->missing_run = segment->missing_position = -1;
    uint64_t eligible[MAX_WORDS];
    int group[MAX_OF_GROUP];
    for (int word = 0; word < segment->words; word++)
        eligible[word] = page[word] & client[word];
    for (int rank = 0; rank < segment->count;) {
        if (!is_eligible_at(segment, eligible, rank)) {
            rank++;
            continue;
        }
        int count = collect_ties(segment, eligible, rank, group);
        int single_campaign = count ? is_single_campaign(segment, group, count) : -1;
        NativeAd *ad = single_campaign < 0 ? NULL : first_of(segment, group, count, draw->seed);
        if (!ad)
            return NULL;
        ServeOutcome outcome = evaluate_ad(ad, draw, count);
        if (outcome == OUTCOME_FILL)
            return ad;
        if (outcome != OUTCOME_SKIP || !single_campaign)
            return NULL;
        rank = group[count - 1] + 1;
    }
    if (!segment->complete)
        segment->missing_run = segment->runs;
    *exhausted = segment->complete;
    return NULL;
}
