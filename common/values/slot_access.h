/*
 * Attributes of objects that are read on every request. Where a class keeps an attribute in a slot (`__slots__`), it is
 * read directly from the object's memory. Elsewhere it is read with the usual call. The result is always that of
 * `PyObject_GetAttr`.
 */

#ifndef PLACARD_SLOT_ACCESS_H
#define PLACARD_SLOT_ACCESS_H

#include <Python.h>

typedef struct {
    PyObject *name;
    PyTypeObject *type; /* the last class it was read from, with a reference held */
    Py_ssize_t offset;  /* in objects of that class; 0: the class has no such slot */
} Attribute;

/* Returns -1 with an error set. */
int name_attribute(Attribute *attribute, const char *name);

/* Sets `type` and `offset` for *type*. Assumes that a class's attributes are not replaced after the first access, which
   holds for the classes of a service. */
void find_slot_offset(Attribute *attribute, PyTypeObject *type);

/* The functions below are inline: a request reads some thirty attributes, and a read is a comparison and a load. */

/* Returns the slot's address in *owner*; NULL where the class has no such slot, or it is not set. */
static inline PyObject **find_slot(PyObject *owner, Attribute *attribute)
{
    if (Py_TYPE(owner) != attribute->type)
        find_slot_offset(attribute, Py_TYPE(owner));
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
