/* `token_hmac.py` in C: the same bytes. The Python source is the specification. */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "common/tracking/token_mac.h"

static PyObject *text_of(const unsigned char *raw, Py_ssize_t length)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, length / 3 * 4);
    if (made)
        put_base64url(PyBytes_AS_STRING(made), raw, (size_t)length);
    return made;
}

static void free_key(PyObject *capsule)
{
    MacKey *key = PyCapsule_GetPointer(capsule, MAC_KEY_CAPSULE);
    if (key) {
        explicit_bzero(key, sizeof *key);
        PyMem_Free(key);
    }
}

static PyObject *prepare_key(PyObject *module, PyObject *secret)
{
    char *text;
    Py_ssize_t length;
    (void)module;
    if (PyBytes_AsStringAndSize(secret, &text, &length) < 0)
        return NULL;
    MacKey *key = PyMem_Malloc(sizeof *key);
    if (!key)
        return PyErr_NoMemory();
    prepare_mac_key(key, (const unsigned char *)text, (size_t)length);
    PyObject *capsule = PyCapsule_New(key, MAC_KEY_CAPSULE, free_key);
    if (!capsule) {
        explicit_bzero(key, sizeof *key);
        PyMem_Free(key);
    }
    return capsule;
}

/* Writes the MAC for *args*, a key and bytes. Returns 0 with an error set where they are something else. */
static int read_and_mac(PyObject *const *args, Py_ssize_t count, unsigned char *digest)
{
    if (count != 2 || !PyBytes_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "takes a key of prepare_key, and bytes");
        return 0;
    }
    const MacKey *key = PyCapsule_GetPointer(args[0], MAC_KEY_CAPSULE);
    if (!key)
        return 0;
    make_mac(key, (const unsigned char *)PyBytes_AS_STRING(args[1]), (size_t)PyBytes_GET_SIZE(args[1]), digest);
    return 1;
}

static PyObject *mac(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    unsigned char digest[MAC_BYTES];
    (void)module;
    if (!read_and_mac(args, count, digest))
        return NULL;
    return PyBytes_FromStringAndSize((char *)digest, MAC_BYTES);
}

static PyObject *sign_and_encode(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    unsigned char digest[MAC_BYTES];
    (void)module;
    if (!read_and_mac(args, count, digest))
        return NULL;
    if (PyBytes_GET_SIZE(args[1]) % 3)
        return PyErr_Format(PyExc_ValueError, "not a multiple of three bytes");
    return Py_BuildValue("(NNNN)",
                         text_of((const unsigned char *)PyBytes_AS_STRING(args[1]), PyBytes_GET_SIZE(args[1])),
                         text_of(digest, TAG_BYTES), text_of(digest + TAG_BYTES, TAG_BYTES),
                         text_of(digest + 2 * TAG_BYTES, TAG_BYTES));
}

static PyMethodDef METHODS[] = {
    {"prepare_key", prepare_key, METH_O, NULL},
    {"mac", (PyCFunction)(void (*)(void))mac, METH_FASTCALL, NULL},
    {"sign_and_encode", (PyCFunction)(void (*)(void))sign_and_encode, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "token_hmac", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_token_hmac(void)
{
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyModule_AddIntConstant(module, "TAG_BYTES", TAG_BYTES) ||
                   PyModule_AddIntConstant(module, "TAGS", 3))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
