/* `serve_counter.py` in C: the same counts. The Python source is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "edge/spool/serve_counter.h"

static PyObject *new_counter(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (PyTuple_GET_SIZE(args) || (keywords && PyDict_GET_SIZE(keywords)))
        return PyErr_Format(PyExc_TypeError, "GroupedCounter takes nothing");
    GroupedCounter *counter = (GroupedCounter *)type->tp_alloc(type, 0);
    if (!counter)
        return NULL;
    counter->counts = PyMem_Calloc(COUNTER_PLACES, sizeof(GroupCount));
    if (counter->counts)
        return (PyObject *)counter;
    Py_DECREF(counter);
    return PyErr_NoMemory();
}

static void clear_count(GroupCount *count)
{
    Py_CLEAR(count->row);
    Py_CLEAR(count->country);
    Py_CLEAR(count->device);
    count->count = 0;
}

static void free_counter(PyObject *self)
{
    GroupedCounter *counter = (GroupedCounter *)self;
    for (int at = 0; counter->counts && at < COUNTER_PLACES; at++)
        clear_count(&counter->counts[at]);
    PyMem_Free(counter->counts);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *counter_add(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "add takes row, country and device");
    return PyBool_FromLong(add_count((GroupedCounter *)self, args[0], args[1], args[2]));
}

static PyObject *counter_take(PyObject *self, PyObject *none)
{
    GroupedCounter *counter = (GroupedCounter *)self;
    PyObject *taken = PyList_New(0);
    (void)none;
    for (int at = 0; taken && at < COUNTER_PLACES; at++) {
        GroupCount *count = &counter->counts[at];
        if (!count->row)
            continue;
        PyObject *one = Py_BuildValue("(OOOL)", count->row, count->country, count->device, count->count);
        if (!one || PyList_Append(taken, one))
            Py_CLEAR(taken);
        Py_XDECREF(one);
    }
    for (int at = 0; taken && at < COUNTER_PLACES; at++)
        clear_count(&counter->counts[at]);
    if (taken)
        counter->used = 0;
    return taken;
}

static PyMethodDef METHODS[] = {
    {"add", (PyCFunction)(void (*)(void))counter_add, METH_FASTCALL, NULL},
    {"take", counter_take, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

/* Not known to the garbage collector: it holds tuples of text and texts, which refer to nothing else. */
static PyTypeObject GroupedCounterType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "edge.spool.serve_counter.GroupedCounter",
    .tp_basicsize = sizeof(GroupedCounter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_counter,
    .tp_dealloc = free_counter,
    .tp_methods = METHODS,
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, .m_name = "serve_counter", .m_size = -1};

PyMODINIT_FUNC PyInit_serve_counter(void)
{
    PyObject *module = PyModule_Create(&MODULE);
    if (module && PyModule_AddType(module, &GroupedCounterType)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
