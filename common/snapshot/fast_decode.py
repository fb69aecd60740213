"""
Builds objects of the model from JSON values that already have the model's types. It also exists in C (`fast_decode.c`),
because a state has hundreds of thousands of objects.
"""

from sys import intern
from typing import Any

from common.snapshot.decode_plan import (
    AS_IS,
    CHOICE,
    CHOICES,
    LISTS,
    OBJECT,
    OBJECTS,
    SHARED,
    SHARED_TEXTS,
    DecodePlan,
)

_ABSENT: Any = object()
_put = object.__setattr__


def decode_object(plan: DecodePlan, values: object) -> Any:
    """
    Returns an object of ``plan.kind``; None where *values* is no dict, a field is missing or unknown, or a value is not
    plain.
    """
    if type(values) is not dict:
        return None
    made: Any = object.__new__(plan.kind)
    absent = 0
    for name, _, shape, inner, is_optional, default in plan.steps:
        value = values.get(name, _ABSENT)
        # Most values are texts and numbers that need no conversion: this is the fast path for them.
        if (shape == AS_IS and type(value) is inner) or (value is None and is_optional):
            _put(made, name, value)
            continue
        if value is _ABSENT and default:
            absent += 1
            value = default[0]
        else:
            value = _read(shape, inner, value)
            if value is None:
                return None
        _put(made, name, value)
    return made if len(values) + absent == len(plan.steps) else None


def _read(shape: int, inner: Any, value: Any) -> Any:
    if type(value) is str:
        if shape == CHOICE:
            return inner.get(value)
        return intern(value) if shape == SHARED else None
    if shape == OBJECT:
        return decode_object(inner, value)
    if shape not in LISTS or type(value) is not list:
        return None
    return _read_list(shape, inner, value)


def _read_list(shape: int, inner: Any, values: list[Any]) -> Any:
    if not values:
        return ()
    if shape == OBJECTS:
        found = [decode_object(inner, one) for one in values]
    elif any(type(one) is not str for one in values):
        return None
    elif shape == CHOICES:
        found = [inner.get(one) for one in values]
    else:
        found = [intern(one) for one in values] if shape == SHARED_TEXTS else values
    return None if None in found else tuple(found)
