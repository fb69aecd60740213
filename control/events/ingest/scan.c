/* `scan.py` in C: finds the same pieces of the same records in one pass. `scan.py` is the specification. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "control/events/ingest/record_scan.h"

static PyObject *joined(const Piece *pieces, int count)
{
    Py_ssize_t size = 0;
    for (int number = 0; number < count; number++)
        size += pieces[number].size;
    PyObject *found = PyBytes_FromStringAndSize(NULL, size);
    if (!found)
        return NULL;
    char *into = PyBytes_AS_STRING(found);
    for (int number = 0; number < count; into += pieces[number].size, number++)
        memcpy(into, pieces[number].from, (size_t)pieces[number].size);
    return found;
}

static PyObject *scan(PyObject *module, PyObject *raw)
{
    ScannedRecord record;
    (void)module;
    if (!PyBytes_Check(raw))
        return PyErr_Format(PyExc_TypeError, "scan takes bytes");
    if (!scan_record(PyBytes_AS_STRING(raw), PyBytes_GET_SIZE(raw), &record))
        Py_RETURN_NONE;
    return Py_BuildValue("(y#LNy#LLLy#y#s#y#y#)", record.writer.from, record.writer.size, record.sequence,
                         joined(record.shared, SHARED_PIECES), (char *)record.token_id, (Py_ssize_t)TOKEN_ID_BYTES,
                         record.issued_ms, record.at_ms, record.snapshot_version, record.network.from,
                         record.network.size, record.agent.from, record.agent.size, record.client.from,
                         record.client.size, record.country_and_device.from, record.country_and_device.size,
                         record.has_person ? (char *)record.person : NULL, (Py_ssize_t)PERSON_BYTES);
}

static PyMethodDef METHODS[] = {{"scan", scan, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, .m_name = "scan", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit_scan(void)
{
    return PyModule_Create(&MODULE);
}
