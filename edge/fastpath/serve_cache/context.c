#include "edge/fastpath/serve_cache/context.h"

#define DEFINED(name) PyObject *s_##name;
NAMES(DEFINED)
#undef DEFINED
#define DEFINED(name) Attribute a_##name;
ATTRIBUTES(DEFINED)
#undef DEFINED
Attribute a_decided;
PyObject *long_one;

int intern_names(void)
{
#define INTERNED(name)                                                                                        \
    if (!(s_##name = PyUnicode_InternFromString(#name)))                                                      \
        return -1;
    NAMES(INTERNED)
#define NAMED(name)                                                                                           \
    if (name_attribute(&a_##name, #name))                                                                     \
        return -1;
    ATTRIBUTES(NAMED)
    if (name_attribute(&a_decided, "decisions"))
        return -1;
    return (long_one = PyLong_FromLong(1)) ? 0 : -1;
}

long long number_in(PyObject *found)
{
    if (!found)
        return -1;
    long long number = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return number;
}

PyObject *call_method(PyObject *owner, PyObject *name, PyObject *const *more, size_t count)
{
    PyObject *args[12];
    args[0] = owner;
    for (size_t at = 0; at < count; at++)
        args[at + 1] = more[at];
    return PyObject_VectorcallMethod(name, args, count + 1, NULL);
}

PyObject *call_part(NativeServeCache *self, Attribute *part, PyObject *name, PyObject *const *more, size_t count)
{
    PyObject *owner = part_of(self, part);
    PyObject *found = owner ? call_method(owner, name, more, count) : NULL;
    Py_XDECREF(owner);
    return found;
}

long long number_of(NativeServeCache *self, Attribute *part, Attribute *name)
{
    PyObject *owner = part_of(self, part);
    if (!owner)
        return -1;
    long long number = number_in(get_attribute(owner, name));
    Py_DECREF(owner);
    return number;
}
