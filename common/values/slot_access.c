#include "common/values/slot_access.h"

#include "common/values/python_compat.h"

/*
 * Slots are read from memory only where the layout is known: in the releases that the tests run on, and not in builds
 * without the interpreter's lock. Elsewhere every access takes the usual call, with the same result.
 */
#if PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED)
#define READS_SLOTS 1
#else
#define READS_SLOTS 0
#endif

int name_attribute(Attribute *attribute, const char *name)
{
    attribute->name = PyUnicode_InternFromString(name);
    return attribute->name ? 0 : -1;
}

/* The offset of the slot that *found*, an attribute of *type*, describes; 0 where it is none. */
static Py_ssize_t slot_offset(PyTypeObject *type, PyObject *found)
{
    if (!READS_SLOTS || !Py_IS_TYPE(found, &PyMemberDescr_Type) || !PyType_IsSubtype(type, PyDescr_TYPE(found)) ||
        type->tp_getattro != PyObject_GenericGetAttr || type->tp_setattro != PyObject_GenericSetAttr)
        return 0;
    const PyMemberDef *member = ((PyMemberDescrObject *)found)->d_member;
    return member->type == Py_T_OBJECT_EX && !(member->flags & Py_READONLY) ? member->offset : 0;
}

void find_slot_offset(Attribute *attribute, PyTypeObject *type)
{
    /* A member descriptor that is read from its class is itself. */
    PyObject *found = PyObject_GetAttr((PyObject *)type, attribute->name);
    if (!found)
        PyErr_Clear();
    Py_XSETREF(attribute->type, (PyTypeObject *)Py_NewRef(type));
    attribute->offset = found ? slot_offset(type, found) : 0;
    Py_XDECREF(found);
}
