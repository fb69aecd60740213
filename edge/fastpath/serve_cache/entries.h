/* Who and what calls come from (`met.py`), as the native cache remembers them. */

#ifndef PLACARD_ENTRIES_H
#define PLACARD_ENTRIES_H

#include "edge/fastpath/serve_cache/rank.h"
#include "edge/fastpath/serve_cache/cache.h"

typedef struct {
    PyObject_HEAD
    long long turn; /* the last snapshot it is right in; -1: it is over */
    long long until_ms;
    PyObject *property_id, *key_id, *used, *bucket, *per_ip, *per_key; /* *used*: both ids, as counted */
} NativeKey;

typedef struct {
    Name name;
    NativeKey *site;
    PyObject *device;
    uint64_t group, kind;
} Reader;

typedef struct {
    Name name;
    PyObject *network, *country;
    PyObject *bucket; /* the limiter's of it at the property it last came to; NULL: none yet */
    uint64_t kind;
    long long edition;
} Source;

typedef struct {
    Name name;
    NativeSlotSegment *line;
    uint64_t number; /* no other page's */
    uint64_t left[];
} Page;

/* Whom of a line a kind of reader at a kind of source leaves, or of one further on a page. */
typedef struct {
    Name name;
    uint64_t left[];
} Left;

static uint64_t kind_of(uint64_t reader_kind, uint64_t source_kind)
{
    return reader_kind << 32 | source_kind;
}

/* Never a `kind_of`. */
static uint64_t kind_of_page(const Page *page)
{
    return page->number | 1ull << 63;
}

static PyObject *new_site(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *property_id, *key_id, *bucket, *per_ip, *per_key;
    long long until_ms;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "LOOOO!O!", &until_ms, &property_id, &key_id, &bucket, &PyLong_Type,
                          &per_ip, &PyLong_Type, &per_key))
        return NULL;
    NativeKey *site = (NativeKey *)type->tp_alloc(type, 0);
    if (!site)
        return NULL;
    site->until_ms = until_ms;
    site->property_id = Py_NewRef(property_id), site->key_id = Py_NewRef(key_id);
    site->bucket = Py_NewRef(bucket);
    site->per_ip = Py_NewRef(per_ip), site->per_key = Py_NewRef(per_key);
    site->used = PyTuple_Pack(2, property_id, key_id);
    if (!site->used)
        Py_CLEAR(site);
    return (PyObject *)site;
}

static void free_site(NativeKey *site)
{
    Py_DECREF(site->property_id);
    Py_DECREF(site->key_id);
    Py_XDECREF(site->used);
    Py_DECREF(site->bucket);
    Py_DECREF(site->per_ip);
    Py_DECREF(site->per_key);
    Py_TYPE(site)->tp_free(site);
}

static PyMemberDef SITE_MEMBERS[] = {
    {"turn", T_LONGLONG, offsetof(NativeKey, turn), 0, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyTypeObject MetSiteType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeKey",
    .tp_basicsize = sizeof(NativeKey),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_site,
    .tp_dealloc = (destructor)free_site,
    .tp_members = SITE_MEMBERS,
};

static void forget_reader(Name *name)
{
    Reader *reader = (Reader *)name;
    Py_DECREF(reader->site);
    Py_DECREF(reader->device);
    PyMem_Free(reader);
}

static void forget_source(Name *name)
{
    Source *source = (Source *)name;
    Py_DECREF(source->network);
    Py_XDECREF(source->bucket);
    Py_DECREF(source->country);
    PyMem_Free(source);
}

static void forget_page(Name *name)
{
    Py_DECREF(((Page *)name)->line);
    PyMem_Free(name);
}

static void forget_left(Name *name)
{
    PyMem_Free(name);
}

#endif
