/* Entries of the native cache: publishable key, client, address, consent, page, mask. Most are made from `entries.py`. */

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
    uint64_t group, kind, device_kind; /* *kind*: of device and languages */
} ClientEntry;

typedef struct {
    Name name;
    PyObject *network, *country;
    PyObject *bucket; /* its rate limit bucket at the property of its last request; NULL: none yet */
    uint64_t kind;
    long long edition;
} AddressEntry;

/* The consent parameters of a query, for the clients of a group. *effect*: a number for what they allow. */
typedef struct {
    Name name;
    uint64_t effect;
} ConsentEntry;

typedef struct {
    Name name;
    NativeSlotSegment *segment;
    uint64_t number;         /* unique among pages */
    uint64_t languages_kind; /* of the languages that the query names; 0: none */
    uint64_t mask[];
} PageEntry;

/* The ads of a segment that are allowed for a kind of client at a kind of address; of a later segment, for a page. */
typedef struct {
    Name name;
    uint64_t mask[];
} MaskEntry;

/* With a segment's number, the key of a mask's entry. */
typedef struct {
    uint64_t kind, languages_kind;
} MaskKey;

extern PyTypeObject NativeKeyType;

/* The functions that release an entry which a cache evicts. */
void evict_client(Name *name);
void evict_address(Name *name);
void evict_page(Name *name);
void evict_plain(Name *name); /* of entries that refer to nothing */

/* Inline: expressions that have a name. */

/* A page's text means the same for the clients of a group whose consent has the same effect. */
static inline uint64_t page_key(uint64_t group, uint64_t effect)
{
    return effect << 32 | group;
}

static inline MaskKey mask_key(uint64_t client_kind, uint64_t languages_kind, uint64_t address_kind)
{
    return (MaskKey){client_kind << 32 | address_kind, languages_kind};
}

/* Where the page names languages, those of the client do not count. */
static inline MaskKey mask_key_of_client(const ClientEntry *client, const AddressEntry *address, const PageEntry *page)
{
    uint64_t client_kind = page->languages_kind ? client->device_kind : client->kind;
    return mask_key(client_kind, page->languages_kind, address->kind);
}

/* Never equal to a `mask_key`: the highest bit is set. */
static inline MaskKey mask_key_of_page(const PageEntry *page)
{
    return (MaskKey){page->number | 1ull << 63, 0};
}

#endif
