/* `split.py` in C: the same answers, without an object a line. Its source is the specification. */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edge/fastpath/serve_cache/head.h"

static PyObject *split_head(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    Cut cut;
    if (count != 3 || !PyBytes_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "split_head takes bytes, start and end");
    Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    if (start < 0 || end > PyBytes_GET_SIZE(args[0]) ||
        !cut_head(PyBytes_AS_STRING(args[0]) + start, end - start, &cut))
        Py_RETURN_NONE;
    return Py_BuildValue("(y#y#y#y#)", cut.page, cut.page_length, cut.steady, cut.steady_length,
                         cut.forwarded_for ? cut.forwarded_for : "", cut.forwarded_length,
                         cut.request_id, cut.request_id_length);
}

static PyMethodDef METHODS[] = {
    {"split_head", (PyCFunction)(void (*)(void))split_head, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "split", NULL, -1, METHODS};

PyMODINIT_FUNC PyInit_head_parts(void)
{
    PyObject *module = PyModule_Create(&MODULE);
    if (!module)
        return NULL;
    if (PyModule_AddObjectRef(module, "HeadParts", (PyObject *)&PyTuple_Type) ||
        PyModule_AddObject(module, "START", PyBytes_FromString(START))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
