"""What a form changed of a campaign, and what other users changed meanwhile. Pure; works on bodies of the API."""

from collections.abc import Mapping
from types import NoneType
from typing import Any, get_args

from control.demand.campaigns.schemas import Attribution, CampaignPatch

_MERGED = ("budget", "attribution")
"""PATCH merges these field by field."""
_NULLABLE = frozenset(
    name
    for name, field in CampaignPatch.model_fields.items()
    if NoneType in get_args(field.annotation)
)
_USUAL_ATTRIBUTION = Attribution().model_dump(mode="json")
"""The meaning of an empty field, as on creation."""

Body = Mapping[str, Any]


def patch_of(before: Body, after: Body) -> dict[str, Any]:
    """The body of a PATCH that leads from *before* to *after*; fields that neither names stay unchanged."""
    return {
        name: _merged(name, before.get(name), after.get(name))
        if name in _MERGED
        else after.get(name, _emptied(name, before.get(name)))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }


def changed_names(before: Body, after: Body) -> list[str]:
    """The fields of the API that differ, in a stable order; for `budget` and `attribution` their parts."""
    flat_before, flat_after = _flat(before), _flat(after)
    names = {**flat_before, **flat_after}
    return [name for name in names if flat_before.get(name) != flat_after.get(name)]


def merged(base: Body, mine: Body, theirs: Body) -> dict[str, Any]:
    """*theirs*, with every change that *mine* made to *base*."""
    found = dict(_flat(theirs))
    for name in changed_names(base, mine):
        value = _flat(mine).get(name)
        if value is None:
            found.pop(name, None)
        else:
            found[name] = value
    return _nested(found)


def _emptied(name: str, before: Any) -> Any:
    """What a field is sent as that held *before*: null, or an empty list or object."""
    is_emptied = isinstance(before, list | dict) and name not in _NULLABLE
    return type(before)() if is_emptied else None


def _merged(name: str, before: Body | None, after: Body | None) -> dict[str, Any]:
    usual = _USUAL_ATTRIBUTION if name == "attribution" else {}
    old, new = before or {}, after or {}
    return {
        part: new.get(part, usual.get(part))
        for part in {**old, **new}
        if old.get(part) != new.get(part)
    }


def _flat(body: Body) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in body.items():
        if name in (*_MERGED, "targeting"):
            found |= {f"{name}.{part}": inner for part, inner in value.items()}
        else:
            found[name] = value
    return found


def _nested(flat: Body) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in flat.items():
        outer, _, last = name.rpartition(".")
        (found.setdefault(outer, {}) if outer else found)[last] = value
    return found
