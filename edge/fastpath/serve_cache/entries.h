/* Entries of the native cache: publishable key, client, address, page, mask. Counterparts of `entries.py`. */

#ifndef PLACARD_ENTRIES_H
#define PLACARD_ENTRIES_H

#include "edge/fastpath/serve_cache/rank.h"
#include "edge/fastpath/serve_cache/cache.h"

typedef struct {
    PyObject_HEAD
    long long generation; /* the last snapshot that it is valid in; -1: it has ended */
    long long until_ms;
    PyObject *property_id, *key_id, *used, *bucket, *per_ip, *per_key; /* *used*: the counter's row, both ids */
} NativeKey;

typedef struct {
    Name name;
    NativeKey *key_entry;
    PyObject *device;
    uint64_t group, kind;
} ClientEntry;

typedef struct {
    Name name;
    PyObject *network, *country;
    PyObject *bucket; /* its rate limit bucket at the property of its last request; NULL: none yet */
    uint64_t kind;
    long long edition;
} AddressEntry;

typedef struct {
    Name name;
    NativeSlotSegment *segment;
    uint64_t number; /* unique among pages */
    uint64_t mask[];
} PageEntry;

/* The ads of a segment that are allowed for a kind of client at a kind of address; of a later segment, for a page. */
typedef struct {
    Name name;
    uint64_t mask[];
} MaskEntry;

extern PyTypeObject NativeKeyType;

/* The functions that release an entry which a cache evicts. */
void evict_client(Name *name);
void evict_address(Name *name);
void evict_page(Name *name);
void evict_mask(Name *name);

/* Inline: expressions that have a name. */

static inline uint64_t mask_key(uint64_t client_kind, uint64_t address_kind)
{
    return client_kind << 32 | address_kind;
}

/* Never equal to a `mask_key`: the highest bit is set. */
static inline uint64_t mask_key_of_page(const PageEntry *page)
{
    return page->number | 1ull << 63;
}

#endif
