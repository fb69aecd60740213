"""Values for templates that describe targeting in plain words: all fields, names instead of codes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from babel import Locale

from control.dashboard.targeting import labels
from control.dashboard.targeting.controls import CONTROLS, Control, Entries
from control.dashboard.targeting.typed_names import area_name, language_name

_SIDES: dict[str, Any] = {"include": [], "exclude": []}
_TARGETING: dict[str, Any] = {"dayparts": [], "slots": _SIDES, "key_values": []}
"""What ``targeting/words.html`` reads by itself; `TargetingNames.of` reads the controls."""


class TargetingNames:
    """``targeting_names`` of ``targeting/words.html``. *slots*: the known labels, by id."""

    labels = labels
    kinds = CONTROLS

    def __init__(self, locale: Locale, slots: Mapping[str, str]) -> None:
        self._locale = locale
        self._slots = slots

    def of(self, control: Control, targeting: Mapping[str, Any]) -> list[str]:
        """The values of *control* as people write them; those of boxes are labels in English."""
        values: Any = {"targeting": targeting}
        for step in control.name.split("."):
            values = (values or {}).get(step)
        match control.entries:
            case Entries.AREAS:
                return [
                    area_name(self._locale, one["country"], one.get("region"))
                    for one in values or ()
                ]
            case Entries.LANGUAGES:
                return [language_name(self._locale, code) for code in values or ()]
            case _:
                return [control.options.get(one, one) for one in values or ()]

    def slots(self, ids: Iterable[str]) -> list[str]:
        """The id of a slot that may not be seen."""
        return [self._slots.get(one, one) for one in ids]


def complete_targeting(targeting: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """With every field that the description uses; None where it targets nothing."""
    return complete(_TARGETING, targeting) if targeting else None


def slots_named(targeting: Mapping[str, Any] | None) -> Sequence[str]:
    sides = (targeting or {}).get("slots") or {}
    return [*sides.get("include", ()), *sides.get("exclude", ())]


def complete(usual: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """*given*, completed from *usual* at every level."""
    found = dict(given)
    for name, value in usual.items():
        own = given.get(name)
        if isinstance(value, Mapping):
            found[name] = complete(value, own or {})
        elif own is None:
            found[name] = value
    return found
