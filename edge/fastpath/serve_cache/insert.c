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

/* put_client(text, key_entry, device, group, kind) */
PyObject *native_cache_put_client(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    const char *text;
    Py_ssize_t length;
    PyObject *key_entry, *device;
    unsigned long long group, kind;
    if (!PyArg_ParseTuple(args, "y#O!OKK", &text, &length, &NativeKeyType, &key_entry, &device, &group, &kind) ||
        !is_text_or_none(device))
        return NULL;
    ClientEntry *client = new_entry(sizeof(ClientEntry), 0, text, length);
    if (!client)
        return NULL;
    client->key_entry = (NativeKey *)Py_NewRef(key_entry);
    client->device = Py_NewRef(device);
    client->group = group, client->kind = kind;
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

/* put_page(group, text, segment, mask) */
PyObject *native_cache_put_page(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long group;
    const char *text, *mask;
    Py_ssize_t length, left_length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "Ky#O!y#", &group, &text, &length, &NativeSlotSegmentType, &segment, &mask, &left_length))
        return NULL;
    size_t bytes = (size_t)segment->words * 8;
    if (segment->generation < 0 || left_length != (Py_ssize_t)bytes)
        Py_RETURN_NONE;
    PageEntry *page = new_entry(sizeof(PageEntry) + bytes, group, text, length);
    if (!page)
        return NULL;
    const PageEntry *before = find_hashed(&cache->pages, page->name.hash, group, text, length);
    page->number = before ? before->number : ++cache->pages_made;
    page->segment = (NativeSlotSegment *)Py_NewRef(segment);
    memcpy(page->mask, mask, bytes);
    insert_entry(&cache->pages, &page->name);
    Py_RETURN_NONE;
}

/*
 * Inserts the mask of *kind* for *segment*. Does nothing where the segment has ended or *bits* do not have its length.
 * Returns -1 with an error set.
 */
static int put_mask_of(NativeServeCache *cache, NativeSlotSegment *segment, uint64_t kind, const char *bits, Py_ssize_t length)
{
    size_t bytes = (size_t)segment->words * 8;
    if (segment->generation < 0 || length != (Py_ssize_t)bytes)
        return 0;
    MaskEntry *mask = new_entry(sizeof(MaskEntry) + bytes, kind, (const char *)&segment->number, sizeof(uint64_t));
    if (!mask)
        return -1;
    memcpy(mask->mask, bits, bytes);
    insert_entry(&cache->masks, &mask->name);
    return 0;
}

/* put_mask(segment, client_kind, address_kind, mask) */
PyObject *native_cache_put_mask(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long client_kind, address_kind;
    const char *bits;
    Py_ssize_t length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "O!KKy#", &NativeSlotSegmentType, &segment, &client_kind, &address_kind, &bits, &length))
        return NULL;
    if (put_mask_of(cache, segment, mask_key(client_kind, address_kind), bits, length))
        return NULL;
    Py_RETURN_NONE;
}

/* put_next_segment(group, text, segment, mask_for_page, client_kind, address_kind, mask) */
PyObject *native_cache_put_next_segment(PyObject *self, PyObject *args)
{
    NativeServeCache *cache = (NativeServeCache *)self;
    unsigned long long group, client_kind, address_kind;
    const char *text, *by_page, *mask;
    Py_ssize_t length, by_page_length, left_length;
    NativeSlotSegment *segment;
    if (!PyArg_ParseTuple(args, "Ky#O!y#KKy#", &group, &text, &length, &NativeSlotSegmentType, &segment, &by_page,
                          &by_page_length, &client_kind, &address_kind, &mask, &left_length))
        return NULL;
    const PageEntry *page = find_entry(&cache->pages, group, text, length);
    if (!page)
        Py_RETURN_NONE;
    if (put_mask_of(cache, segment, mask_key_of_page(page), by_page, by_page_length) ||
        put_mask_of(cache, segment, mask_key(client_kind, address_kind), mask, left_length))
        return NULL;
    Py_RETURN_NONE;
}
