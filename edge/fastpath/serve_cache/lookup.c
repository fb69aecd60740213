#include "edge/fastpath/serve_cache/lookup.h"

#include <time.h>

#include "common/decision/rules/splitmix64.h"
#include "edge/fastpath/serve_cache/random.h"

#define SAMPLE_SALT 0x7265636F7264 /* `common.decision.record` */

static int miss_reason(NativeServeCache *self, MissReason reason)
{
    self->miss_reason = reason;
    return 0;
}

Py_ssize_t address_key(const char *forwarded_for, Py_ssize_t length, PyObject *peer, char *key)
{
    Py_ssize_t peer_length;
    const char *text = PyUnicode_AsUTF8AndSize(peer, &peer_length);
    if (!text)
        return -1;
    if (length > MAX_ADDRESS_CHARS || peer_length > MAX_ADDRESS_CHARS)
        return -1;
    if (length)
        memcpy(key, forwarded_for, (size_t)length);
    key[length] = '\n';
    memcpy(key + length + 1, text, (size_t)peer_length);
    return length + 1 + peer_length;
}

static int read_clock(NativeServeCache *self, LookupResult *known)
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

static const MaskEntry *find_mask(NativeServeCache *self, MaskKey key, const NativeSlotSegment *segment)
{
    const uint64_t text[] = {segment->number, key.languages_kind};
    return find_entry(&self->masks, key.kind, (const char *)text, sizeof text);
}

/* The effect of the request's consent; 0 where the query says nothing about it, -1 where it is not cached. */
static long long find_effect(NativeServeCache *self, const HeadParts *parts, uint64_t group)
{
    if (!parts->consent_length)
        return 0;
    const ConsentEntry *consent = find_entry(&self->consents, group, parts->consent, parts->consent_length);
    return consent ? (long long)consent->effect : -1;
}

int lookup_request(NativeServeCache *self, const HeadParts *parts, PyObject *peer, LookupResult *known)
{
    char key[ADDRESS_KEY_BYTES];
    uint64_t by_client = hash_of(0, parts->stable, parts->stable_length);
    fetch_row(&self->clients, by_client);
    Py_ssize_t forwarded_length = self->behind_proxies ? parts->forwarded_length : 0;
    Py_ssize_t length = address_key(parts->forwarded_for, forwarded_length, peer, key);
    if (length < 0)
        return PyErr_Occurred() ? -1 : miss_reason(self, MISS_UNCACHEABLE);
    uint64_t by_address = hash_of(0, key, length);
    fetch_row(&self->addresses, by_address);
    known->generation = number_of(self, &a_snapshots, &a_generation);
    if (known->generation <= 0)
        return PyErr_Occurred() ? -1 : miss_reason(self, MISS_UNCACHEABLE);
    if (read_clock(self, known))
        return -1;
    if (known->now_ms < 0)
        return PyErr_Occurred() ? -1 : miss_reason(self, MISS_UNCACHEABLE);
    known->client = find_hashed(&self->clients, by_client, 0, parts->stable, parts->stable_length);
    if (!known->client || known->client->key_entry->generation != known->generation)
        return miss_reason(self, MISS_CLIENT);
    if (known->now_ms >= known->client->key_entry->until_ms)
        return miss_reason(self, MISS_UNCACHEABLE);
    self->effect = find_effect(self, parts, known->client->group);
    if (self->effect < 0)
        return miss_reason(self, MISS_PAGE);
    uint64_t about = page_key(known->client->group, (uint64_t)self->effect);
    uint64_t by_page = hash_of(about, parts->page, parts->page_length);
    fetch_row(&self->pages, by_page);
    known->address = find_hashed(&self->addresses, by_address, 0, key, length);
    known->page = find_hashed(&self->pages, by_page, about, parts->page, parts->page_length);
    int current = known->page ? is_segment_current(known->page->segment, known->generation, known->now_ms) : 0;
    if (current < 1)
        return current ? -1 : miss_reason(self, MISS_PAGE);
    if (!known->address)
        return miss_reason(self, MISS_ADDRESS);
    if (known->address->edition != number_of(self, &a_geo, &a_edition))
        return PyErr_Occurred() ? -1 : miss_reason(self, MISS_ADDRESS);
    MaskKey by_both = mask_key_of_client(known->client, known->address, known->page);
    known->mask = find_mask(self, by_both, known->page->segment);
    return known->mask ? 1 : miss_reason(self, MISS_MASK);
}

/* Whether the snapshot is recent enough; -1 with an error set. */
static int is_fresh(NativeServeCache *self, const LookupResult *known)
{
    if (self->fresh_generation == known->generation && known->now_ms < self->fresh_until_ms)
        return 1;
    PyObject *age = call_part(self, &a_snapshots, s_age_s, &known->now, 1);
    double age_s = age ? PyFloat_AsDouble(age) : -1;
    Py_XDECREF(age);
    PyObject *settings = PyErr_Occurred() ? NULL : part_of(self, &a_settings);
    PyObject *max_age = settings ? get_attribute(settings, &a_snapshot_max_age_s) : NULL;
    Py_XDECREF(settings);
    double snapshot_max_age_s = max_age ? PyFloat_AsDouble(max_age) : -1;
    Py_XDECREF(max_age);
    if (PyErr_Occurred())
        return -1;
    if (age_s > snapshot_max_age_s)
        return 0;
    /* A snapshot ages no faster than time passes, and a new snapshot has a new generation. */
    self->fresh_generation = known->generation;
    self->fresh_until_ms = known->now_ms + (long long)((snapshot_max_age_s - age_s) * 1000) / 2;
    return 1;
}

/* Whether the spool is nearly full; -1 with an error set. With the machine's clock, checked once a millisecond. */
static int is_full(NativeServeCache *self, const LookupResult *known)
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

/* As `is_sampled` in `common.decision.record`: whether the decision is to be recorded. */
static int is_sampled(NativeServeCache *self, uint64_t seed)
{
    long long ppm = number_of(self, &a_decisions, &a_sampled_ppm);
    if (ppm < 0)
        return PyErr_Occurred() ? -1 : 0;
    return ppm >= PPM || (long long)(splitmix64(seed, SAMPLE_SALT) % PPM) < ppm;
}

/* As `pick_from_segment`, from block to block as far as segments and masks are cached. */
static NativeAd *pick_across_segments(NativeServeCache *self, const LookupResult *known, PacingDraw *draw)
{
    NativeSlotSegment *segment = known->page->segment;
    const uint64_t *by_page = known->page->mask, *by_client = known->mask->mask;
    MaskKey by_both = mask_key_of_client(known->client, known->address, known->page);
    for (self->at = 0;;) {
        int exhausted;
        NativeAd *ad = pick_from_segment(segment, by_page, by_client, draw, &exhausted);
        if (ad || !exhausted) {
            int is_lacking = segment->missing_run >= 0 || segment->missing_position >= 0;
            self->miss_reason = is_lacking ? MISS_AD : MISS_UNCACHEABLE;
            return ad;
        }
        self->at = segment->block + 1;
        self->miss_reason = MISS_NEXT_SEGMENT;
        segment = segment->next;
        if (!segment || is_segment_current(segment, known->generation, known->now_ms) < 1)
            return NULL;
        const MaskEntry *page = find_mask(self, mask_key_of_page(known->page), segment);
        const MaskEntry *client = find_mask(self, by_both, segment);
        if (!page || !client)
            return NULL;
        by_page = page->mask, by_client = client->mask;
    }
}

NativeAd *pick_ad(NativeServeCache *self, LookupResult *known, PyObject *snapshot)
{
    NativeAd *ad = NULL;
    PyObject *args[] = {snapshot, known->now};
    if (peek_seed(self, known))
        return NULL;
    PyObject *budgets = part_of(self, &a_budgets);
    PyObject *open = budgets ? call_method(budgets, s_available_micros, args, 2) : NULL;
    PyObject *pass_rates = open ? get_attribute(budgets, &a_pass_rates) : NULL;
    Py_XDECREF(budgets);
    if (pass_rates) {
        PacingDraw draw = {open, pass_rates, PyLong_AsUnsignedLongLong(known->seed), 0};
        int watched = PyErr_Occurred() ? -1 : is_full(self, known);
        if (!watched)
            watched = is_sampled(self, draw.seed);
        int fresh = watched ? 0 : is_fresh(self, known);
        if (fresh == 1) {
            ad = pick_across_segments(self, known, &draw);
        } else {
            self->miss_reason = MISS_UNCACHEABLE;
        }
    }
    Py_XDECREF(open);
    Py_XDECREF(pass_rates);
    return ad;
}
