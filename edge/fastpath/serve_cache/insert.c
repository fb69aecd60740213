#define PY_SSIZE_T_CLEAN
#include "edge/fastpath/serve_cache/insert.h"

#include <string.h>

#include "edge/fastpath/serve_cache/lookup.h"

/* Returns 0 with an error set where *value* is neither text nor None. */
static int is_text_or_none(PyObject *value)
{
    if (value == Py_None || PyUnicode_Check(value))
        return 1;
    PyErr_Format(PyExc_TypeError, "a country or a device is a text or None, not %R", value);
    return 0;
}

/* put_client(text, key_entry, device, group, kind, device_kind) */
PyObject *native_cache_put_client(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    const char *text;
    Py_ssize_t length;
    PyObject *key_entry, *device;
    unsigned long long group, kind, device_kind;
    if (!PyArg_ParseTuple(args, "y#O!OKKK", &text, &length, &NativeKeyType, &key_entry, &device, &group, &kind,
                          &device_kind) ||
        !is_text_or_none(device))
        return NULL;
    ClientEntry *client = new_entry(sizeof(ClientEntry), 0, text, length);
    if (!client)
        return NULL;
    client->key_entry = (NativeKey *)Py_NewRef(key_entry);
    client->device = Py_NewRef(device);
    client->group = group, client->kind = kind, client->device_kind = device_kind;
    insert_entry(&cache->clients, &client->name);
    Py_RETURN_NONE;
}

/* put_address(peer, forwarded_for, network, country, kind, edition) */
PyObject *native_cache_put_address(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    const char *forwarded_for;
    Py_ssize_t forwarded_length;
    PyObject *peer, *network, *country;
    unsigned long long kind;
    long long edition;
    char key[ADDRESS_KEY_BYTES];
    if (!PyArg_ParseTuple(args, "Uy#UOKL", &peer, &forwarded_for, &forwarded_length, &network, &country, &kind,
                          &edition) ||
        !is_text_or_none(country))
        return NULL;
    Py_ssize_t length = address_key(forwarded_for, forwarded_length, peer, key);
    if (length < 0 && PyErr_Occurred())
        return NULL;
    if (length < 0)
        Py_RETURN_NONE;
    AddressEntry *address = new_entry(sizeof(AddressEntry), 0, key, length);
    if (!address)
        return NULL;
    address->network = Py_NewRef(network), address->country = Py_NewRef(country);
    address->kind = kind, address->edition = edition;
    insert_entry(&cache->addresses, &address->name);
    Py_RETURN_NONE;
}

/* put_consent(group, text, effect) */
PyObject *native_cache_put_consent(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long group, effect;
    const char *text;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "Ky#K", &group, &text, &length, &effect))
        return NULL;
    ConsentEntry *consent = new_entry(sizeof(ConsentEntry), group, text, length);
    if (!consent)
        return NULL;
    consent->effect = effect;
    insert_entry(&cache->consents, &consent->name);
    Py_RETURN_NONE;
}

/* put_page(group, effect, text, languages_kind, segment, mask) */
PyObject *native_cache_put_page(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long group, effect, languages_kind;
    const char *text, *mask;
    Py_ssize_t length, mask_length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "KKy#KO!y#", &group, &effect, &text, &length, &languages_kind, &NativeSlotSegmentType,
                          &segment, &mask, &mask_length))
        return NULL;
    uint64_t key = page_key(group, effect);
    size_t bytes = (size_t)segment->words * 8;
    if (segment->generation < 0 || mask_length != (Py_ssize_t)bytes)
        Py_RETURN_NONE;
    PageEntry *page = new_entry(sizeof(PageEntry) + bytes, key, text, length);
    if (!page)
        return NULL;
    const PageEntry *before = find_hashed(&cache->pages, page->name.hash, key, text, length);
    page->number = before ? before->number : ++cache->pages_made;
    page->segment = (NativeSlotSegment *)Py_NewRef(segment);
    page->languages_kind = languages_kind;
    memcpy(page->mask, mask, bytes);
    insert_entry(&cache->pages, &page->name);
    Py_RETURN_NONE;
}

/*
 * Inserts the mask of *key* for *segment*. Does nothing where the segment has ended or *bits* do not have its length.
 * Returns -1 with an error set.
 */
static int put_mask_of(NativeServeCache *cache, NativeSlotSegment *segment, MaskKey key, const char *bits, Py_ssize_t length)
{
    size_t bytes = (size_t)segment->words * 8;
    if (segment->generation < 0 || length != (Py_ssize_t)bytes)
        return 0;
    const uint64_t text[] = {segment->number, key.languages_kind};
    MaskEntry *mask = new_entry(sizeof(MaskEntry) + bytes, key.kind, (const char *)text, sizeof text);
    if (!mask)
        return -1;
    memcpy(mask->mask, bits, bytes);
    insert_entry(&cache->masks, &mask->name);
    return 0;
}

/* put_mask(segment, client_kind, languages_kind, address_kind, mask) */
PyObject *native_cache_put_mask(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long client_kind, languages_kind, address_kind;
    const char *bits;
    Py_ssize_t length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "O!KKKy#", &NativeSlotSegmentType, &segment, &client_kind, &languages_kind,
                          &address_kind, &bits, &length))
        return NULL;
    if (put_mask_of(cache, segment, mask_key(client_kind, languages_kind, address_kind), bits, length))
        return NULL;
    Py_RETURN_NONE;
}

/* put_page_mask(group, effect, text, segment, mask): of a later segment of the page's slot. */
PyObject *native_cache_put_page_mask(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long group, effect;
    const char *text, *bits;
    Py_ssize_t length, bits_length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "KKy#O!y#", &group, &effect, &text, &length, &NativeSlotSegmentType, &segment, &bits,
                          &bits_length))
        return NULL;
    const PageEntry *page = find_entry(&cache->pages, page_key(group, effect), text, length);
    if (page && put_mask_of(cache, segment, mask_key_of_page(page), bits, bits_length))
        return NULL;
    Py_RETURN_NONE;
}
