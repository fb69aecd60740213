/*
 * `splitmix64.py` in C: the same numbers, without 64-bit products as objects. The Python source is the specification.
 */

#include <Python.h>

#include "common/decision/rules/splitmix64.h"

static PyObject *draw(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !PyLong_Check(args[0]) || !PyLong_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "splitmix64 takes seed and salt");
    uint64_t seed = PyLong_AsUnsignedLongLongMask(args[0]);
    uint64_t salt = PyLong_AsUnsignedLongLongMask(args[1]);
    if (PyErr_Occurred())
        return NULL;
    return PyLong_FromUnsignedLongLong(splitmix64(seed, salt));
}

static PyMethodDef METHODS[] = {
    {"splitmix64", (PyCFunction)(void (*)(void))draw, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "splitmix64", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_splitmix64(void)
{
    return PyModule_Create(&MODULE);
}
