/* Methods by which `cache_filler.py` inserts entries into the native cache. */

#ifndef PLACARD_INSERT_H
#define PLACARD_INSERT_H

#include <Python.h>

PyObject *native_cache_put_client(PyObject *self, PyObject *args);
PyObject *native_cache_put_address(PyObject *self, PyObject *args);
PyObject *native_cache_put_consent(PyObject *self, PyObject *args);
PyObject *native_cache_put_page(PyObject *self, PyObject *args);
PyObject *native_cache_put_mask(PyObject *self, PyObject *args);
PyObject *native_cache_put_page_mask(PyObject *self, PyObject *args);

#endif
