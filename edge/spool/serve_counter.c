/* `serve_counter.py` in C: the same counts. The Python source is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edge/spool/serve_counter.h"

static PyObject *new_tally(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (PyTuple_GET_SIZE(args) || (keywords && PyDict_GET_SIZE(keywords)))
        return PyErr_Format(PyExc_TypeError, "GroupedCounter takes nothing");
    GroupedCounter *tally = (GroupedCounter *)type->tp_alloc(type, 0);
    if (!tally)
        return NULL;
    tally->counts = PyMem_Calloc(TALLY_PLACES, sizeof(Count));
    if (tally->counts)
        return (PyObject *)tally;
    Py_DECREF(tally);
    return PyErr_NoMemory();
}

static void forget(Count *count)
{
    Py_CLEAR(count->row);
    Py_CLEAR(count->country);
    Py_CLEAR(count->device);
    count->count = 0;
}

static void free_tally(GroupedCounter *tally)
{
    for (int at = 0; tally->counts && at < TALLY_PLACES; at++)
        forget(&tally->counts[at]);
    PyMem_Free(tally->counts);
    Py_TYPE(tally)->tp_free(tally);
}

static PyObject *add(GroupedCounter *tally, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "add takes row, country and device");
    return PyBool_FromLong(tally_add(tally, args[0], args[1], args[2]));
}

static PyObject *take(GroupedCounter *tally, PyObject *none)
{
    PyObject *taken = PyList_New(0);
    for (int at = 0; taken && at < TALLY_PLACES; at++) {
        Count *count = &tally->counts[at];
        if (!count->row)
            continue;
        PyObject *one = Py_BuildValue("(OOOL)", count->row, count->country, count->device, count->count);
        if (!one || PyList_Append(taken, one))
            Py_CLEAR(taken);
        Py_XDECREF(one);
    }
    for (int at = 0; taken && at < TALLY_PLACES; at++)
        forget(&tally->counts[at]);
    if (taken)
        tally->used = 0;
    return taken;
}

static PyMethodDef METHODS[] = {
    {"add", (PyCFunction)(void (*)(void))add, METH_FASTCALL, NULL},
    {"take", (PyCFunction)take, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyTypeObject TallyType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.spool.serve_counter.GroupedCounter",
    .tp_basicsize = sizeof(GroupedCounter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_tally,
    .tp_dealloc = (destructor)free_tally,
    .tp_methods = METHODS,
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "tally", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_serve_counter(void)
{
    PyObject *module = PyModule_Create(&MODULE);
    if (module && PyModule_AddType(module, &TallyType)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
