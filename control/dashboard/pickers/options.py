"""
The choices of a field for an account's objects, however many there are.

Offers the newest, or those whose name contains the search text, and always those already chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.queries import MAX_CHOICES, Choice, ObjectType, find, labels_of
from control.foundation.wire_types import MAX_SOUGHT_CHARS

FIND = "find"
"""The action of a form that searches; ``find.NAME`` is the search text, ``found.NAME`` the previous one."""


@dataclass(frozen=True, slots=True)
class Offer:
    """``has_more``: there are others, which a search finds. ``address``: where a script requests them."""

    choices: Sequence[Choice]
    has_more: bool
    search: str
    address: str

    @property
    def is_searched(self) -> bool:
        return self.has_more or bool(self.search)

    def below(self, first: Sequence[Choice]) -> "Offer":
        """With *first* above: further choices besides objects."""
        return replace(self, choices=[*first, *self.choices])

    def labels_of(self, values: Sequence[str]) -> list[str]:
        """Objects that may not be seen are shown by their value."""
        known = dict(self.choices)
        return [known.get(value, value) for value in values]


async def offer(
    view: PageRequest,
    kind: ObjectType,
    name: str,
    *,
    chosen: Sequence[str] = (),
    narrow: Mapping[str, Sequence[str]] | None = None,
) -> Offer:
    """For the field *name*. A user who may not list the objects is offered the chosen ones, by their ids."""
    key = f"{FIND}.{name}"
    search = (view.form_field(key) or view.query_param(key)).strip()[:MAX_SOUGHT_CHARS]
    given = narrow or {}
    found = await find(view, kind, search, given)
    known = {value for value, _ in found[:MAX_CHOICES]}
    missing = [value for value in dict.fromkeys(chosen) if value and value not in known]
    labels = await labels_of(view, kind, missing)
    shown = [*found[:MAX_CHOICES], *((value, labels.get(value, value)) for value in missing)]
    joined = {each: ",".join(values) for each, values in given.items()}
    return Offer(
        shown, len(found) > MAX_CHOICES, search, view.url("choices", of=kind.name, **joined)
    )


def is_search(form: Mapping[str, Sequence[str]]) -> bool:
    """Whether a form was sent to search: by its button, or with a search text that was not searched yet."""
    if "".join(form.get("act", ())) == FIND:
        return True
    start = f"{FIND}."
    return any(
        "".join(form.get(f"found.{name.removeprefix(start)}", ())).strip() != values[0].strip()
        for name, values in form.items()
        if name.startswith(start)
    )
