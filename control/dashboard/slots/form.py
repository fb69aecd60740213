"""The bodies that the forms of a slot send."""

import re
from collections.abc import Sequence
from typing import Any

from control.dashboard.form_body import Reader, body_of, choices, lines, readers_of, whole
from control.dashboard.page_request import PageRequest
from control.dashboard.patch_body import patch_of
from control.inventory.slots.schemas import SlotCreate, SlotPatch

USUAL_SIZES = ("300x250", "320x50", "728x90", "300x600", "160x600", "970x250")
_SIZE = re.compile(r"([0-9]{1,5})\s*[x×X*]\s*([0-9]{1,5})")
_MS = 1000


def sizes(values: Sequence[str]) -> list[Any]:
    """``300x250``, from boxes and from a text; an invalid size is sent as typed."""
    return [_size(one) for one in lines(values) or ()]


def seconds(values: Sequence[str]) -> Any:
    """Milliseconds."""
    given = whole(values)
    return given * _MS if isinstance(given, int) else given


_TYPED: dict[str, Reader] = {
    "formats": choices,
    "sizes": sizes,
    "audio.max_duration_ms": seconds,
}
_CREATED = readers_of(SlotCreate, _TYPED, without=("property_id",))
_CHANGED = readers_of(SlotPatch, _TYPED, without=("status",))


def created_of(view: PageRequest, property_id: str) -> dict[str, Any]:
    return body_of(view.form, _CREATED) | {"property_id": property_id}


def changed_of(view: PageRequest) -> dict[str, Any]:
    body = patch_of(view.form, _CHANGED, SlotPatch)
    body.setdefault("formats", [])
    body.setdefault("floor_cents", 0)
    body.setdefault("audio", None)
    return body


def _size(values: str) -> Any:
    found = _SIZE.fullmatch(values)
    return {"width": int(found[1]), "height": int(found[2])} if found else values
