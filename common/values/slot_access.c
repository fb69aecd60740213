#include "common/values/slot_access.h"

#include <structmember.h>

int name_attribute(Attribute *attribute, const char *name)
{
    attribute->name = PyUnicode_InternFromString(name);
    return attribute->name ? 0 : -1;
}

void find_slot_offset(Attribute *attribute, PyTypeObject *type)
{
    PyObject *found = _PyType_Lookup(type, attribute->name);
    const PyMemberDef *member =
        found && Py_IS_TYPE(found, &PyMemberDescr_Type) ? ((PyMemberDescrObject *)found)->d_member : NULL;
    int is_slot = member && member->type == T_OBJECT_EX && type->tp_getattro == PyObject_GenericGetAttr &&
                  type->tp_setattro == PyObject_GenericSetAttr;
    Py_XSETREF(attribute->type, (PyTypeObject *)Py_NewRef(type));
    attribute->offset = is_slot ? member->offset : 0;
}
