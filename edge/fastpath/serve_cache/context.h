/* The native cache object, a lookup's result, and helpers that read live values from the edge's `edge.context`. */

#ifndef PLACARD_CONTEXT_H
#define PLACARD_CONTEXT_H

#include "common/values/slot_access.h"
#include "edge/fastpath/serve_cache/head.h"
#include "edge/fastpath/serve_cache/entries.h"

#define CHANCE_BYTES 250

typedef enum { MISS_NONE, MISS_CLIENT, MISS_PAGE, MISS_ADDRESS, MISS_MASK, MISS_AD, MISS_NEXT_SEGMENT, MISS_UNCACHEABLE } MissReason;

typedef struct {
    PyObject_HEAD
    PyObject *edge, *refuse, *machine_clock, *new_id_at;
    Cache clients, addresses, consents, pages, masks;
    long long fresh_generation, fresh_until_ms;
    long long room_ms; /* the last millisecond of the machine's clock at which the spool had room */
    uint64_t next_request;
    uint32_t process;
    uint64_t pages_made;
    int behind_proxies, miss_reason, at; /* *at*: index of the current segment within its slot */
    long long effect; /* of the current request's consent; 0: the query says nothing about it; -1: unknown */
    size_t chance_left;
    unsigned char chance[CHANCE_BYTES];
} NativeServeCache;

/* The result of a lookup; its cache entries are borrowed. */
typedef struct {
    const ClientEntry *client;
    AddressEntry *address;
    const PageEntry *page;
    const MaskEntry *mask;
    long long now_ms, generation;
    int is_machine_time;
    PyObject *now;          /* `now_ms` */
    PyObject *seed;         /* NULL: not drawn yet */
    PyObject *rng;          /* the generator that just drew it; NULL where it was drawn before, or is used */
} LookupResult;

#define NAMES(name) \
    name(age_s) name(bytes) name(commit) name(count) name(count_key) name(fill) name(find_current) \
    name(getrandbits) name(monotonic_ms) name(now_ms) name(available_micros) name(peek_seed) name(take)

#define ATTRIBUTES(name) \
    name(_next_seed) name(fast_path_requests) name(budgets) name(clock) name(counters) \
    name(snapshot_max_age_s) name(decisions) name(edition) name(geo) name(limiter) name(metrics) \
    name(nearly_full) name(new_token_id) name(pass_rates) name(rng) name(sampled_ppm) name(settings) \
    name(snapshots) name(spool) name(tally) name(generation)

#define DECLARED(name) extern PyObject *s_##name;
NAMES(DECLARED)
#undef DECLARED
#define DECLARED(name) extern Attribute a_##name;
ATTRIBUTES(DECLARED)
#undef DECLARED
extern Attribute a_decided; /* `EdgeMetrics.decisions`, not `EdgeContext.decisions` */
extern PyObject *long_one;

/* Sets the names above. Returns -1 with an error set. */
int intern_names(void);

/* Takes ownership of *found*. Returns -1 with an error set where it is not a number. */
long long number_in(PyObject *found);

/* Calls the method *name* of *owner* with *count* arguments, at most 11. */
PyObject *call_method(PyObject *owner, PyObject *name, PyObject *const *more, size_t count);

/* As `call_method`, on the context's *part*. */
PyObject *call_part(NativeServeCache *self, Attribute *part, PyObject *name, PyObject *const *more, size_t count);

/* The number *name* of the context's *part*; -1 with an error set. */
long long number_of(NativeServeCache *self, Attribute *part, Attribute *name);

/* A new reference to a part of the context. It is read each time, because the part may be replaced. Inline: one read. */
static inline PyObject *part_of(NativeServeCache *self, Attribute *part)
{
    return get_attribute(self->edge, part);
}

#endif
