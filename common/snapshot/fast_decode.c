/* `fast_decode.py` in C: it builds the same objects. The Python source is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { AS_IS, SHARED, CHOICE, TEXTS, SHARED_TEXTS, CHOICES, OBJECT, OBJECTS };
enum { CHECKED_PLANS = 32 };
enum { NAME, SLOT, SHAPE, INNER, IS_OPTIONAL, DEFAULT, WIDTH };

/* Every reader returns a new reference, or NULL without an error where a value is not plain. */

static PyObject *read_object(PyObject *plan, PyObject *values);

static PyObject *read_text(int shape, PyObject *inner, PyObject *value)
{
    if (!PyUnicode_CheckExact(value))
        return NULL;
    if (shape == CHOICE) {
        PyObject *found = PyDict_GetItemWithError(inner, value);
        return Py_XNewRef(found);
    }
    Py_INCREF(value);
    if (shape == SHARED)
        PyUnicode_InternInPlace(&value);
    return value;
}

static PyObject *read_list(int shape, PyObject *inner, PyObject *value)
{
    static const int EACH[] = {[TEXTS] = AS_IS, [SHARED_TEXTS] = SHARED, [CHOICES] = CHOICE};
    if (!PyList_CheckExact(value))
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(value);
    PyObject *found = PyTuple_New(count);
    for (Py_ssize_t at = 0; found && at < count; at++) {
        PyObject *one = PyList_GET_ITEM(value, at);
        PyObject *made = shape == OBJECTS ? read_object(inner, one) : read_text(EACH[shape], inner, one);
        if (made)
            PyTuple_SET_ITEM(found, at, made);
        else
            Py_CLEAR(found);
    }
    return found;
}

static PyObject *read_value(PyObject *step, PyObject *value)
{
    int shape = (int)PyLong_AsLong(PyTuple_GET_ITEM(step, SHAPE));
    PyObject *inner = PyTuple_GET_ITEM(step, INNER);
    if (value == Py_None && PyTuple_GET_ITEM(step, IS_OPTIONAL) == Py_True)
        return Py_NewRef(value);
    switch (shape) {
    case AS_IS:
        return (PyObject *)Py_TYPE(value) == inner ? Py_NewRef(value) : NULL;
    case SHARED:
    case CHOICE:
        return read_text(shape, inner, value);
    case OBJECT:
        return read_object(inner, value);
    default:
        return read_list(shape, inner, value);
    }
}

/* Fills one field. Returns 1, or 0 where the value is not plain. *present* counts the fields that *values* has. */
static int fill(PyObject *made, PyObject *step, PyObject *values, Py_ssize_t *present)
{
    PyObject *found = PyDict_GetItemWithError(values, PyTuple_GET_ITEM(step, NAME));
    PyObject *fallback = PyTuple_GET_ITEM(step, DEFAULT);
    PyObject *value = NULL;
    if (found) {
        ++*present;
        value = read_value(step, found);
    } else if (PyTuple_GET_SIZE(fallback)) {
        value = Py_NewRef(PyTuple_GET_ITEM(fallback, 0));
    }
    if (!value)
        return 0;
    PyObject *slot = PyTuple_GET_ITEM(step, SLOT);
    int failed = Py_TYPE(slot)->tp_descr_set(slot, made, value);
    Py_DECREF(value);
    return !failed;
}

static PyObject *read_object(PyObject *plan, PyObject *values)
{
    if (!PyDict_CheckExact(values))
        return NULL;
    PyTypeObject *kind = (PyTypeObject *)PyTuple_GET_ITEM(plan, 0);
    PyObject *steps = PyTuple_GET_ITEM(plan, 1);
    PyObject *made = kind->tp_alloc(kind, 0);
    Py_ssize_t present = 0;
    for (Py_ssize_t at = 0; made && at < PyTuple_GET_SIZE(steps); at++)
        if (!fill(made, PyTuple_GET_ITEM(steps, at), values, &present))
            Py_CLEAR(made);
    if (made && present != PyDict_GET_SIZE(values))
        Py_CLEAR(made);
    return made;
}

static int is_plan(PyObject *plan);

/* Whether *inner* is what the readers of *shape* expect. */
static int is_inner(long shape, PyObject *inner)
{
    switch (shape) {
    case AS_IS:
        return PyType_Check(inner);
    case CHOICE:
    case CHOICES:
        return PyDict_Check(inner);
    case SHARED:
    case TEXTS:
    case SHARED_TEXTS:
        return 1;
    case OBJECT:
    case OBJECTS:
        return is_plan(inner);
    default:
        return 0;
    }
}

static int is_step(PyObject *step)
{
    if (!PyTuple_Check(step) || PyTuple_GET_SIZE(step) != WIDTH || !PyLong_Check(PyTuple_GET_ITEM(step, SHAPE)))
        return 0;
    int overflow;
    long shape = PyLong_AsLongAndOverflow(PyTuple_GET_ITEM(step, SHAPE), &overflow);
    return !overflow && PyUnicode_Check(PyTuple_GET_ITEM(step, NAME)) &&
           Py_IS_TYPE(PyTuple_GET_ITEM(step, SLOT), &PyMemberDescr_Type) &&
           is_inner(shape, PyTuple_GET_ITEM(step, INNER)) && PyTuple_Check(PyTuple_GET_ITEM(step, DEFAULT));
}

static int is_plan(PyObject *plan)
{
    if (!PyTuple_Check(plan) || PyTuple_GET_SIZE(plan) != 2 || !PyType_Check(PyTuple_GET_ITEM(plan, 0)) ||
        !PyTuple_Check(PyTuple_GET_ITEM(plan, 1)))
        return 0;
    PyObject *steps = PyTuple_GET_ITEM(plan, 1);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(steps); at++)
        if (!is_step(PyTuple_GET_ITEM(steps, at)))
            return 0;
    return 1;
}

/*
 * As `is_plan`, for a plan that is used often: plans are immutable, so each is checked once. A reference is
 * held to those that were.
 */
static int is_checked_plan(PyObject *plan)
{
    static PyObject *checked[CHECKED_PLANS];
    static int next;
    for (int at = 0; at < CHECKED_PLANS; at++)
        if (checked[at] == plan)
            return 1;
    if (!is_plan(plan))
        return 0;
    Py_XSETREF(checked[next], Py_NewRef(plan));
    next = (next + 1) % CHECKED_PLANS;
    return 1;
}

static PyObject *decode_object(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !is_checked_plan(args[0]))
        return PyErr_Format(PyExc_TypeError, "decode_object takes a plan of decode_plan.py, and values");
    PyObject *made = read_object(args[0], args[1]);
    if (made || PyErr_Occurred())
        return made;
    Py_RETURN_NONE;
}

static PyMethodDef METHODS[] = {
    {"decode_object", (PyCFunction)(void (*)(void))decode_object, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "fast_decode", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_fast_decode(void)
{
    return PyModule_Create(&MODULE);
}
