/* Names of CPython 3.12 and later, for 3.11. Everything else that the C uses is public in 3.11, 3.12 and 3.13. */

#ifndef PLACARD_PYTHON_COMPAT_H
#define PLACARD_PYTHON_COMPAT_H

#include <Python.h>

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>

#define Py_T_INT T_INT
#define Py_T_LONGLONG T_LONGLONG
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY

/* Returns the error that is set, normalized and with its traceback, and clears it; NULL where none is set. */
static inline PyObject *PyErr_GetRaisedException(void)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (error && trace)
        PyException_SetTraceback(error, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return error;
}

/* Sets *error* and takes ownership of it; clears the error that is set where it is NULL. */
static inline void PyErr_SetRaisedException(PyObject *error)
{
    if (!error) {
        PyErr_Clear();
        return;
    }
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(error)), error, PyException_GetTraceback(error));
}
#endif

#endif
