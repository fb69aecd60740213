/* `head_parts.py` in C: the same results without an object per line. Its source is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edge/fastpath/serve_cache/head.h"

static PyObject *split_head(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    HeadParts parts;
    (void)module;
    if (count != 3 || !PyBytes_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "split_head takes bytes, start and end");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (start < 0 || end < start || end > PyBytes_GET_SIZE(args[0]) ||
        !read_head_parts(PyBytes_AS_STRING(args[0]) + start, end - start, &parts))
        Py_RETURN_NONE;
    return Py_BuildValue("(y#y#y#y#y#)", parts.page, parts.page_length, parts.consent, parts.consent_length,
                         parts.stable, parts.stable_length, parts.forwarded_for ? parts.forwarded_for : "", parts.forwarded_length,
                         parts.request_id, parts.request_id_length);
}

static PyMethodDef METHODS[] = {
    {"split_head", (PyCFunction)(void (*)(void))split_head, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "head_parts", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_head_parts(void)
{
    PyObject *module = PyModule_Create(&MODULE);
    if (!module)
        return NULL;
    PyObject *start = PyBytes_FromString(SERVE_START);
    int failed = !start || PyModule_AddObjectRef(module, "START", start) ||
                 PyModule_AddObjectRef(module, "HeadParts", (PyObject *)&PyTuple_Type);
    Py_XDECREF(start);
    if (failed)
        Py_CLEAR(module);
    return module;
}
