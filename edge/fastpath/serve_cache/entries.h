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

static uint64_t mask_key(uint64_t client_kind, uint64_t address_kind)
{
    return client_kind << 32 | address_kind;
}

/* Never equal to a `mask_key`: the highest bit is set. */
static uint64_t mask_key_of_page(const PageEntry *page)
{
    return page->number | 1ull << 63;
}

static PyObject *new_native_key(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *property_id, *key_id, *bucket, *per_ip, *per_key;
    long long until_ms;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "LOOOO!O!", &until_ms, &property_id, &key_id, &bucket, &PyLong_Type,
                          &per_ip, &PyLong_Type, &per_key))
        return NULL;
    NativeKey *key_entry = (NativeKey *)type->tp_alloc(type, 0);
    if (!key_entry)
        return NULL;
    key_entry->until_ms = until_ms;
    key_entry->property_id = Py_NewRef(property_id), key_entry->key_id = Py_NewRef(key_id);
    key_entry->bucket = Py_NewRef(bucket);
    key_entry->per_ip = Py_NewRef(per_ip), key_entry->per_key = Py_NewRef(per_key);
    key_entry->used = PyTuple_Pack(2, property_id, key_id);
    if (!key_entry->used)
        Py_CLEAR(key_entry);
    return (PyObject *)key_entry;
}

static void free_native_key(NativeKey *key_entry)
{
    Py_DECREF(key_entry->property_id);
    Py_DECREF(key_entry->key_id);
    Py_XDECREF(key_entry->used);
    Py_DECREF(key_entry->bucket);
    Py_DECREF(key_entry->per_ip);
    Py_DECREF(key_entry->per_key);
    Py_TYPE(key_entry)->tp_free(key_entry);
}

static PyMemberDef KEY_MEMBERS[] = {
    {"generation", T_LONGLONG, offsetof(NativeKey, generation), 0, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject NativeKeyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeKey",
    .tp_basicsize = sizeof(NativeKey),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_native_key,
    .tp_dealloc = (destructor)free_native_key,
    .tp_members = KEY_MEMBERS,
};

static void evict_client(Name *name)
{
    ClientEntry *client = (ClientEntry *)name;
    Py_DECREF(client->key_entry);
    Py_DECREF(client->device);
    PyMem_Free(client);
}

static void evict_address(Name *name)
{
    AddressEntry *address = (AddressEntry *)name;
    Py_DECREF(address->network);
    Py_XDECREF(address->bucket);
    Py_DECREF(address->country);
    PyMem_Free(address);
}

static void evict_page(Name *name)
{
    Py_DECREF(((PageEntry *)name)->segment);
    PyMem_Free(name);
}

static void evict_mask(Name *name)
{
    PyMem_Free(name);
}

#endif
