/* Whether all of a call is known and right now, and which ad shows: nothing is changed by it. */

#ifndef PLACARD_LOOKUP_H
#define PLACARD_LOOKUP_H

#include <time.h>

#include "edge/fastpath/serve_cache/random.h"

#define MAX_ADDRESS_CHARS 200
#define SAMPLE_SALT 0x7265636F7264 /* `common.decision.record` */

static int lacks(NativeServeCache *self, Lack lack)
{
    self->lacks = lack;
    return 0;
}

/* The key of a source: what the proxy says, and the peer. Its length, or -1 where it is not for here. */
static Py_ssize_t source_key(const char *said, Py_ssize_t length, PyObject *peer, char *key)
{
    Py_ssize_t peer_length;
    const char *text = PyUnicode_AsUTF8AndSize(peer, &peer_length);
    if (!text)
        return -1;
    if (length > MAX_ADDRESS_CHARS || peer_length > MAX_ADDRESS_CHARS)
        return -1;
    if (length)
        memcpy(key, said, (size_t)length);
    key[length] = '\n';
    memcpy(key + length + 1, text, (size_t)peer_length);
    return length + 1 + peer_length;
}

static int read_clock(NativeServeCache *self, Known *known)
{
    struct timespec now;
    PyObject *clock = part_of(self, &a_clock);
    if (!clock)
        return -1;
    known->is_machine_time = (PyObject *)Py_TYPE(clock) == self->machine_clock;
    if (known->is_machine_time && !clock_gettime(CLOCK_REALTIME, &now))
        known->now_ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    else
        known->now_ms = number_in(PyObject_CallMethodNoArgs(clock, s_now_ms));
    Py_DECREF(clock);
    return PyErr_Occurred() ? -1 : 0;
}

static const Left *find_left(NativeServeCache *self, uint64_t kind, const NativeSlotSegment *line)
{
    return find_thing(&self->lefts, kind, (const char *)&line->number, sizeof(uint64_t));
}

/* 1 where all of the call's parts are known and right now; 0 where not; -1 with an error set. */
static int find_known(NativeServeCache *self, const Cut *cut, PyObject *peer, Known *known)
{
    char key[2 * MAX_ADDRESS_CHARS + 1];
    uint64_t by_reader = hash_of(0, cut->steady, cut->steady_length);
    fetch_row(&self->readers, by_reader);
    Py_ssize_t said = self->behind_proxies ? cut->forwarded_length : 0;
    Py_ssize_t length = source_key(cut->forwarded_for, said, peer, key);
    if (length < 0)
        return PyErr_Occurred() ? -1 : lacks(self, MISS_UNCACHEABLE);
    uint64_t by_source = hash_of(0, key, length);
    fetch_row(&self->sources, by_source);
    known->turn = number_of(self, &a_snapshots, &a_turns);
    if (known->turn <= 0)
        return PyErr_Occurred() ? -1 : lacks(self, MISS_UNCACHEABLE);
    if (read_clock(self, known))
        return -1;
    if (known->now_ms < 0)
        return PyErr_Occurred() ? -1 : lacks(self, MISS_UNCACHEABLE);
    known->reader = find_hashed(&self->readers, by_reader, 0, cut->steady, cut->steady_length);
    if (!known->reader || known->reader->site->turn != known->turn)
        return lacks(self, MISS_CLIENT);
    if (known->now_ms >= known->reader->site->until_ms)
        return lacks(self, MISS_UNCACHEABLE);
    uint64_t by_page = hash_of(known->reader->group, cut->page, cut->page_length);
    fetch_row(&self->pages, by_page);
    known->source = find_hashed(&self->sources, by_source, 0, key, length);
    known->page = find_hashed(&self->pages, by_page, known->reader->group, cut->page, cut->page_length);
    if (!known->page || !line_holds(known->page->line, known->turn, known->now_ms))
        return lacks(self, MISS_PAGE);
    if (!known->source)
        return lacks(self, MISS_ADDRESS);
    if (known->source->edition != number_of(self, &a_geo, &a_edition))
        return PyErr_Occurred() ? -1 : lacks(self, MISS_ADDRESS);
    known->left = find_left(self, kind_of(known->reader->kind, known->source->kind), known->page->line);
    return known->left ? 1 : lacks(self, MISS_MASK);
}

/* Whether the snapshot is recent enough; -1 with an error set. */
static int is_fresh(NativeServeCache *self, const Known *known)
{
    if (self->fresh_turn == known->turn && known->now_ms < self->fresh_until_ms)
        return 1;
    PyObject *age = ask_part(self, &a_snapshots, s_age_s, &known->now, 1);
    double age_s = age ? PyFloat_AsDouble(age) : -1;
    Py_XDECREF(age);
    PyObject *settings = PyErr_Occurred() ? NULL : part_of(self, &a_settings);
    PyObject *dead = settings ? get_attribute(settings, &a_dead_after_s) : NULL;
    Py_XDECREF(settings);
    double snapshot_max_age_s = dead ? PyFloat_AsDouble(dead) : -1;
    Py_XDECREF(dead);
    if (PyErr_Occurred())
        return -1;
    if (age_s > snapshot_max_age_s)
        return 0;
    /* It gets no older than by the time that passes, and another one has another turn. */
    self->fresh_turn = known->turn;
    self->fresh_until_ms = known->now_ms + (long long)((snapshot_max_age_s - age_s) * 1000) / 2;
    return 1;
}

/* Whether the spool is nearly full; by the machine's clock it is looked at once a millisecond. */
static int is_full(NativeServeCache *self, const Known *known)
{
    if (known->is_machine_time && known->now_ms == self->room_ms)
        return 0;
    PyObject *spool = part_of(self, &a_spool);
    PyObject *full = spool ? get_attribute(spool, &a_nearly_full) : NULL;
    Py_XDECREF(spool);
    int is_full = full ? PyObject_IsTrue(full) : -1;
    Py_XDECREF(full);
    if (!is_full && known->is_machine_time)
        self->room_ms = known->now_ms;
    return is_full;
}

/* `is_sampled`: the decision is to be written down. */
static int is_sampled(NativeServeCache *self, uint64_t seed)
{
    long long ppm = number_of(self, &a_decisions, &a_sampled_ppm);
    if (ppm < 0)
        return PyErr_Occurred() ? -1 : 0;
    return ppm >= PPM || (long long)(mixed_bits(seed, SAMPLE_SALT) % PPM) < ppm;
}

/* From block to block, as far as lines are known; as `choose_ad`. */
static NativeAd *choose_from(NativeServeCache *self, const Known *known, Coins *coins)
{
    NativeSlotSegment *line = known->page->line;
    const uint64_t *by_page = known->page->left, *by_reader = known->left->left;
    uint64_t kind = kind_of(known->reader->kind, known->source->kind);
    for (self->at = 0;;) {
        int is_past;
        self->lacks = MISS_AD;
        NativeAd *ad = choose_ad(line, by_page, by_reader, coins, &is_past);
        if (ad || !is_past)
            return ad;
        self->at = line->block + 1;
        self->lacks = MISS_NEXT_SEGMENT;
        line = line->next;
        if (!line || !line_holds(line, known->turn, known->now_ms))
            return NULL;
        const Left *page = find_left(self, kind_of_page(known->page), line);
        const Left *reader = find_left(self, kind, line);
        if (!page || !reader)
            return NULL;
        by_page = page->left, by_reader = reader->left;
    }
}

/* The ad that shows; NULL where that cannot be told here, or with an error set. Borrowed from the line. */
static NativeAd *find_ad(NativeServeCache *self, Known *known, PyObject *snapshot)
{
    NativeAd *ad = NULL;
    PyObject *args[] = {snapshot, known->now};
    if (peek_seed(self, known))
        return NULL;
    PyObject *budgets = part_of(self, &a_budgets);
    PyObject *open = budgets ? ask(budgets, s_open_micros, args, 2) : NULL;
    PyObject *passes = open ? get_attribute(budgets, &a_passes) : NULL;
    Py_XDECREF(budgets);
    if (passes) {
        Coins coins = {open, passes, PyLong_AsUnsignedLongLong(known->seed), 0};
        int watched = PyErr_Occurred() ? -1 : is_full(self, known);
        if (!watched)
            watched = is_sampled(self, coins.seed);
        int fresh = watched ? 0 : is_fresh(self, known);
        if (fresh == 1) {
            ad = choose_from(self, known, &coins);
        } else {
            self->lacks = MISS_UNCACHEABLE;
        }
    }
    Py_XDECREF(open);
    Py_XDECREF(passes);
    return ad;
}

#endif
