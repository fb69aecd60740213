"""The bodies that the forms of a property send."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from common.values.enums import PropertyKind
from control.dashboard.form_body import Reader, body_of, readers_of, text
from control.dashboard.page_request import PageRequest
from control.dashboard.patch_body import patch_of
from control.dashboard.timezones import read_timezone
from control.inventory.properties.schemas import Library, PropertyCreate, PropertyPatch


def _flags(values: Sequence[str]) -> dict[str, bool | str]:
    """Lines ``name = value``; ``true`` and ``false`` are switches, everything else is text."""
    pairs = (line.partition("=") for line in values[0].splitlines() if line.strip())
    found = {name.strip(): value.strip() for name, _, value in pairs}
    return {name: _SWITCHES.get(value, value) for name, value in found.items()}


def flags_text(flags: Mapping[str, bool | str]) -> str:
    words = {value: word for word, value in _SWITCHES.items()}
    return "\n".join(
        f"{name} = {words[value] if isinstance(value, bool) else value}"
        for name, value in sorted(flags.items())
    )


_SWITCHES = {"true": True, "false": False}
_TYPED: dict[str, Reader] = {
    "timezone": read_timezone,
    "sdk.flags": _flags,
    **{f"sdk.min.{library}": text for library in get_args(Library)},
}
_CREATED = readers_of(PropertyCreate, _TYPED, without=("sdk",))
_CHANGED = readers_of(PropertyPatch, _TYPED, without=("sdk",))


def created_of(view: PageRequest) -> dict[str, Any]:
    """Without what the form does not show for the kind."""
    body = body_of(view.form, _CREATED)
    if body.get("kind") == PropertyKind.WEB:
        body.pop("bundle_id", None)
    return body


def changed_of(view: PageRequest) -> dict[str, Any]:
    body = patch_of(view.form, _CHANGED, PropertyPatch)
    if "sdk.flags" in view.form:  # the form shows all of them: emptied ones are removed
        body["sdk"] = {"min": {}, "flags": {}} | body.get("sdk", {})
    return body
