"""The JSON shape of each plain field of the model, derived from the model's annotations."""

from collections.abc import Collection
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from types import MemberDescriptorType, NoneType, UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

AS_IS: Final = 0
"""A value of exactly the class ``inner``."""
SHARED: Final = 1
"""A text, interned."""
CHOICE: Final = 2
"""A text in ``inner``, which maps it to its value."""
TEXTS: Final = 3
"""A list of texts, which becomes a tuple, as do the other lists."""
SHARED_TEXTS: Final = 4
CHOICES: Final = 5
OBJECT: Final = 6
"""An object of the plan ``inner``."""
OBJECTS: Final = 7
LISTS: Final = frozenset({TEXTS, SHARED_TEXTS, CHOICES, OBJECTS})


class FieldStep(NamedTuple):
    """
    One field, in the order of `fast_decode.c`. ``default``: the value in a tuple, or an empty tuple where there is
    none.
    """

    name: str
    slot: MemberDescriptorType
    shape: int
    inner: Any
    is_optional: bool
    default: tuple[Any, ...]


class DecodePlan(NamedTuple):
    """How to fill a frozen dataclass with slots."""

    kind: type
    steps: tuple[FieldStep, ...]


def plan_of(kind: type, shared: Collection[str] = ()) -> DecodePlan:
    """*shared*: fields whose texts many objects have in common. Raises TypeError where an annotation has no shape."""
    hints = get_type_hints(kind)
    return DecodePlan(
        kind, tuple(_step(kind, one, hints[one.name], shared) for one in fields(kind))
    )


def _step(kind: type, one: Field[Any], hint: Any, shared: Collection[str]) -> FieldStep:
    slot = vars(kind)[one.name]
    parts = [part for part in get_args(hint) if part is not NoneType]
    is_optional = isinstance(hint, UnionType) and len(parts) == 1 and NoneType in get_args(hint)
    shape, inner = _shape(parts[0] if is_optional else hint, is_shared=one.name in shared)
    default = () if one.default is MISSING else (one.default,)
    return FieldStep(one.name, slot, shape, inner, is_optional, default)


def _shape(hint: Any, *, is_shared: bool) -> tuple[int, Any]:
    if get_origin(hint) is tuple:
        shape, inner = _shape(get_args(hint)[0], is_shared=is_shared)
        if shape == AS_IS and inner is not str:
            raise TypeError(f"no shape for {hint!r}")
        return _LIST_OF[shape], inner
    if is_dataclass(hint) and isinstance(hint, type):
        return OBJECT, plan_of(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return CHOICE, {member.value: member for member in hint}
    if hint is str:
        return (SHARED, None) if is_shared else (AS_IS, str)
    if hint in (int, bool):
        return AS_IS, hint
    raise TypeError(f"no shape for {hint!r}")


_LIST_OF = {AS_IS: TEXTS, SHARED: SHARED_TEXTS, CHOICE: CHOICES, OBJECT: OBJECTS}
