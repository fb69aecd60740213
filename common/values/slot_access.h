/*
 * Attributes of objects that are asked of for every call. Where a class keeps one in a slot (`__slots__`), it is read
 * where it lies; everywhere else it is asked for as usual. So what is found is what `PyObject_GetAttr` would give.
 */

#ifndef PLACARD_SLOT_ACCESS_H
#define PLACARD_SLOT_ACCESS_H

#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject *name;
    PyTypeObject *type; /* the last class it was read of, kept */
    Py_ssize_t offset;  /* in its objects; 0: it lies in no slot */
} Attribute;

static int name_attribute(Attribute *attribute, const char *name)
{
    attribute->name = PyUnicode_InternFromString(name);
    return attribute->name ? 0 : -1;
}

/* A class's attributes are not replaced once its objects are asked: nobody does that to the classes of a service. */
static void look_at_class(Attribute *attribute, PyTypeObject *type)
{
    PyObject *found = _PyType_Lookup(type, attribute->name);
    const PyMemberDef *member =
        found && Py_IS_TYPE(found, &PyMemberDescr_Type) ? ((PyMemberDescrObject *)found)->d_member : NULL;
    int is_slot = member && member->type == T_OBJECT_EX && type->tp_getattro == PyObject_GenericGetAttr &&
                  type->tp_setattro == PyObject_GenericSetAttr;
    Py_XSETREF(attribute->type, (PyTypeObject *)Py_NewRef(type));
    attribute->offset = is_slot ? member->offset : 0;
}

/* Where *owner* has it; NULL where it lies in no slot, or is not set. */
static inline PyObject **find_slot(PyObject *owner, Attribute *attribute)
{
    if (Py_TYPE(owner) != attribute->type)
        look_at_class(attribute, Py_TYPE(owner));
    if (!attribute->offset)
        return NULL;
    PyObject **slot = (PyObject **)((char *)owner + attribute->offset);
    return *slot ? slot : NULL;
}

/* A new reference; NULL with an error set where *owner* has none. */
static inline PyObject *get_attribute(PyObject *owner, Attribute *attribute)
{
    PyObject **slot = find_slot(owner, attribute);
    return slot ? Py_NewRef(*slot) : PyObject_GetAttr(owner, attribute->name);
}

/* -1 with an error set where it cannot be. */
static inline int set_attribute(PyObject *owner, Attribute *attribute, PyObject *value)
{
    PyObject **slot = find_slot(owner, attribute);
    if (!slot)
        return PyObject_SetAttr(owner, attribute->name, value);
    Py_SETREF(*slot, Py_NewRef(value));
    return 0;
}

#endif
