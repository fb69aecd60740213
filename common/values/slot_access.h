/* Attributes of objects that are read on every request. Where a class keeps an attribute in a slot (`__slots__`),
 * it is read directly from the object's memory. Elsewhere it is read with the usual call. The result is always that
 * of `PyObject_GetAttr`. */

#ifndef PLACARD_SLOT_ACCESS_H
#define PLACARD_SLOT_ACCESS_H

#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject *name;
    PyTypeObject *type; /* the last class it was read from, with a reference held */
    Py_ssize_t offset;  /* in objects of that class; 0: the class has no such slot */
} Attribute;

static int name_attribute(Attribute *attribute, const char *name)
{
    attribute->name = PyUnicode_InternFromString(name);
    return attribute->name ? 0 : -1;
}

/* Assumes that a class's attributes are not replaced after the first access, which holds for the classes of a
   service. */
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

/* Returns the slot's address in *owner*; NULL where the class has no such slot, or it is not set. */
static inline PyObject **find_slot(PyObject *owner, Attribute *attribute)
{
    if (Py_TYPE(owner) != attribute->type)
        look_at_class(attribute, Py_TYPE(owner));
    if (!attribute->offset)
        return NULL;
    PyObject **slot = (PyObject **)((char *)owner + attribute->offset);
    return *slot ? slot : NULL;
}

/* Returns a new reference; NULL with an error set where *owner* has no such attribute. */
static inline PyObject *get_attribute(PyObject *owner, Attribute *attribute)
{
    PyObject **slot = find_slot(owner, attribute);
    return slot ? Py_NewRef(*slot) : PyObject_GetAttr(owner, attribute->name);
}

/* Returns -1 with an error set where the attribute cannot be set. */
static inline int set_attribute(PyObject *owner, Attribute *attribute, PyObject *value)
{
    PyObject **slot = find_slot(owner, attribute);
    if (!slot)
        return PyObject_SetAttr(owner, attribute->name, value);
    Py_SETREF(*slot, Py_NewRef(value));
    return 0;
}

#endif
