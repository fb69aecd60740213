/* Who and what calls come from (`met.py`), as the native cache remembers them. */

#ifndef PLACARD_ENTRIES_H
#define PLACARD_ENTRIES_H

#include "edge/fastpath/serve_cache/rank.h"
#include "edge/fastpath/serve_cache/cache.h"

typedef struct {
    PyObject_HEAD
    long long generation; /* the last snapshot it is right in; -1: it is over */
    long long until_ms;
    PyObject *property_id, *key_id, *used, *bucket, *per_ip, *per_key; /* *used*: both ids, as counted */
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
    PyObject *bucket; /* the limiter's of it at the property it last came to; NULL: none yet */
    uint64_t kind;
    long long edition;
} AddressEntry;

typedef struct {
    Name name;
    NativeSlotSegment *segment;
    uint64_t number; /* no other page's */
    uint64_t mask[];
} PageEntry;

/* Whom of a line a kind of reader at a kind of source leaves, or of one further on a page. */
typedef struct {
    Name name;
    uint64_t mask[];
} MaskEntry;

static uint64_t mask_key(uint64_t client_kind, uint64_t address_kind)
{
    return client_kind << 32 | address_kind;
}

/* Never a `mask_key`. */
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
