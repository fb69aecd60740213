"""Encodes snapshot objects as canonical JSON, and decodes them. Equal objects give the same bytes on every machine."""

from contextlib import suppress
from dataclasses import MISSING, fields
from functools import cache
from sys import intern
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from common.service.compiled import is_compiled
from common.snapshot import fast_decode
from common.snapshot.decode_plan import DecodePlan, plan_of
from common.snapshot.model import (
    Account,
    Ad,
    AdRates,
    Campaign,
    Key,
    ObjectType,
    Pace,
    Property,
    Slot,
    SnapshotObject,
)

_CLASS_OF: dict[ObjectType, type[SnapshotObject]] = {
    ObjectType.ACCOUNT: Account,
    ObjectType.PROPERTY: Property,
    ObjectType.SLOT: Slot,
    ObjectType.KEY: Key,
    ObjectType.CAMPAIGN: Campaign,
    ObjectType.AD: Ad,
    ObjectType.PACE: Pace,
    ObjectType.RATES: AdRates,
}

_DEFAULTS: dict[type[SnapshotObject], tuple[tuple[str, Any], ...]] = {
    kind: tuple(
        (field.name, field.default) for field in fields(kind) if field.default is not MISSING
    )
    for kind in _CLASS_OF.values()
}

_IS_QUICK = is_compiled(fast_decode)
"""Uncompiled, it is a little slower than the adapter."""
_SHARED = ("account_id", "property_id", "campaign_id", "timezone", "advertiser_domain")
_SHARED_LISTS = ("property_ids", "slot_ids", "categories", "requires")


class SnapshotInvalid(ValueError):
    """An object, delta or full snapshot that an edge must not adopt; the message is the reason of its rejection."""


def encode_object(item: SnapshotObject) -> bytes:
    """
    Returns canonical JSON: keys sorted, no spaces, UTF-8. Fields at their default are left out. So a new field with a
    default does not change the body of objects that do not use it, and older edges can still read them.
    """
    defaults = _DEFAULTS[type(item)]
    if not defaults:
        return orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
    values = {field.name: getattr(item, field.name) for field in fields(item)}
    for name, default in defaults:
        if values[name] == default:
            del values[name]
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS)


def canonical_json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def parse_object(kind: ObjectType, body: bytes | str) -> SnapshotObject:
    """Raises `SnapshotInvalid`. A field that this version does not have is rejected, as a guard of the schema."""
    try:
        values = orjson.loads(body)
        if _IS_QUICK:
            made: SnapshotObject | None = fast_decode.decode_object(plan_of_type(kind), values)
            if made is not None:
                return made
        # The adapter converts a value that is not plain, or reports its fault.
        known = _field_names(kind)
        if not values.keys() <= known:
            raise SnapshotInvalid(f"{kind} has unknown fields {sorted(values.keys() - known)}")
        _share_texts(kind, values)
        return _adapter(kind).validate_python(values)
    except (ValidationError, orjson.JSONDecodeError, AttributeError) as error:
        raise SnapshotInvalid(f"{kind} cannot be read: {error}") from error


def _share_texts(kind: ObjectType, values: dict[str, Any]) -> None:
    """Interns texts that many objects contain, which saves a third of a state's memory."""
    texts, lists = _shared(kind)
    for name in texts:
        text = values.get(name)
        if type(text) is str:
            values[name] = intern(text)
    for name in lists:
        some = values.get(name)
        if some and type(some) is list:
            # The adapter rejects an item that is not text.
            with suppress(TypeError):
                values[name] = list(map(intern, some))


@cache
def _shared(kind: ObjectType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the fields that hold such texts, and those that hold lists of them."""
    known = _field_names(kind)
    own = ("id",) if kind is ObjectType.CAMPAIGN else ()
    texts = (*own, *(name for name in _SHARED if name in known))
    return texts, tuple(name for name in _SHARED_LISTS if name in known)


@cache
def plan_of_type(kind: ObjectType) -> DecodePlan:
    """Returns the plan for `common.snapshot.fast_decode.decode_object`."""
    texts, lists = _shared(kind)
    return plan_of(_CLASS_OF[kind], (*texts, *lists))


@cache
def _adapter(kind: ObjectType) -> TypeAdapter[SnapshotObject]:
    return TypeAdapter(_CLASS_OF[kind])


@cache
def _field_names(kind: ObjectType) -> frozenset[str]:
    return frozenset(field.name for field in fields(_CLASS_OF[kind]))
