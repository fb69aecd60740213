/*
 * Runs an interpreter: `check` of a Python module receives the extension and the input, and compares the extension with
 * its specification. Built for one extension: INIT is its PyInit_ function, CHECK the module.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "tests/fuzz/targets/require.h"

PyMODINIT_FUNC INIT(void);

static PyObject *check, *extension;

static void require_python(int condition)
{
    if (!condition && PyErr_Occurred())
        PyErr_Print();
    REQUIRE(condition);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    Py_InitializeEx(0);
    extension = INIT();
    require_python(extension != NULL);
    PyObject *module = PyImport_ImportModule(CHECK);
    check = module ? PyObject_GetAttrString(module, "check") : NULL;
    require_python(check != NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PyObject *input = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
    PyObject *done = input ? PyObject_CallFunctionObjArgs(check, extension, input, NULL) : NULL;
    require_python(done != NULL);
    Py_DECREF(done);
    Py_DECREF(input);
    return 0;
}
