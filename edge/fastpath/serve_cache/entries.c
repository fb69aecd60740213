#define PY_SSIZE_T_CLEAN
#include "edge/fastpath/serve_cache/entries.h"

#include "common/values/python_compat.h"

static PyObject *new_native_key(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *property_id, *key_id, *bucket, *per_ip, *per_key;
    long long until_ms;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "LUUO!O!O!", &until_ms, &property_id, &key_id, &PyTuple_Type, &bucket,
                          &PyLong_Type, &per_ip, &PyLong_Type, &per_key))
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

static void free_native_key(PyObject *self)
{
    NativeKey *key_entry = (NativeKey *)self;
    Py_DECREF(key_entry->property_id);
    Py_DECREF(key_entry->key_id);
    Py_XDECREF(key_entry->used);
    Py_DECREF(key_entry->bucket);
    Py_DECREF(key_entry->per_ip);
    Py_DECREF(key_entry->per_key);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef KEY_MEMBERS[] = {
    {"generation", Py_T_LONGLONG, offsetof(NativeKey, generation), 0, NULL},
    {NULL, 0, 0, 0, NULL}};

/* Not known to the garbage collector: it holds texts, numbers and tuples of them. */
PyTypeObject NativeKeyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.fastpath.serve_cache.native_cache.NativeKey",
    .tp_basicsize = sizeof(NativeKey),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_native_key,
    .tp_dealloc = free_native_key,
    .tp_members = KEY_MEMBERS,
};

void evict_client(Name *name)
{
    ClientEntry *client = (ClientEntry *)name;
    Py_DECREF(client->key_entry);
    Py_DECREF(client->device);
    PyMem_Free(client);
}

void evict_address(Name *name)
{
    AddressEntry *address = (AddressEntry *)name;
    Py_DECREF(address->network);
    Py_XDECREF(address->bucket);
    Py_DECREF(address->country);
    PyMem_Free(address);
}

void evict_page(Name *name)
{
    Py_DECREF(((PageEntry *)name)->segment);
    PyMem_Free(name);
}

void evict_plain(Name *name)
{
    PyMem_Free(name);
}
