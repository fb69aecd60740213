/* `splitmix64.py` in C: the same numbers, without 64-bit products as objects. The Python source is the
   specification. */

#include <Python.h>
#include <stdint.h>

static PyObject *splitmix64(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyLong_Check(args[0]) || !PyLong_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "splitmix64 takes seed and salt");
    uint64_t seed = PyLong_AsUnsignedLongLongMask(args[0]);
    uint64_t salt = PyLong_AsUnsignedLongLongMask(args[1]);
    if (PyErr_Occurred())
        return NULL;
    uint64_t z = seed + salt * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return PyLong_FromUnsignedLongLong(z ^ (z >> 31));
}

static PyMethodDef METHODS[] = {
    {"splitmix64", (PyCFunction)(void (*)(void))splitmix64, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "mixing", NULL, -1, METHODS};

PyMODINIT_FUNC PyInit_splitmix64(void)
{
    return PyModule_Create(&MODULE);
}
