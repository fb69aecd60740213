"""
The choices of a field for an account's objects, however many there are.

Offers the newest, or those whose name contains the search text, and always those already chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlmodel import col

from common.values.ids import is_uuid
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.object_types import Kind

MOST = 50
_MAX_SOUGHT_CHARS = 200
FIND = "find"
"""The action of a form that searches; ``find.NAME`` is the search text, ``found.NAME`` the previous one."""

Choice = tuple[str, str]
"""Value and label."""


@dataclass(frozen=True, slots=True)
class Offer:
    """``has_more``: there are others, which a search finds. ``address``: where a script requests them."""

    choices: Sequence[Choice]
    has_more: bool
    sought: str
    address: str

    @property
    def is_searched(self) -> bool:
        return self.has_more or bool(self.sought)

    def below(self, first: Sequence[Choice]) -> "Offer":
        """With *first* above: further choices besides objects."""
        return replace(self, choices=[*first, *self.choices])

    def labels_of(self, values: Sequence[str]) -> list[str]:
        """Objects that may not be seen are shown by their value."""
        known = dict(self.choices)
        return [known.get(value, value) for value in values]


async def offer(
    view: PageRequest,
    kind: Kind,
    name: str,
    *,
    chosen: Sequence[str] = (),
    narrow: Mapping[str, Sequence[str]] | None = None,
) -> Offer:
    """For the field *name*. A user who may not list the objects is offered the chosen ones, by their ids."""
    key = f"{FIND}.{name}"
    sought = (view.typed(key) or view.asked(key)).strip()[:_MAX_SOUGHT_CHARS]
    given = narrow or {}
    found = await find(view, kind, sought, given)
    known = {value for value, _ in found[:MOST]}
    missing = [value for value in dict.fromkeys(chosen) if value and value not in known]
    labels = await labels_of(view, kind, missing)
    shown = [*found[:MOST], *((value, labels.get(value, value)) for value in missing)]
    joined = {each: ",".join(values) for each, values in given.items()}
    return Offer(shown, len(found) > MOST, sought, view.url("choices", of=kind.name, **joined))


async def find(
    view: PageRequest, kind: Kind, sought: str, narrow: Mapping[str, Sequence[str]]
) -> Sequence[Choice]:
    """
    Newest first, one more than `MOST` if there are more.

    Empty for a user who may not list them, and for text that the database cannot store.
    """
    typed = [sought, *(value for values in narrow.values() for value in values)]
    if not view.may(kind.listed.id) or any("\0" in one for one in typed):
        return ()
    wanted = [kind.narrows[each](values) for each, values in narrow.items()]
    if kind.offered is not None:
        wanted.append(kind.offered)
    if sought:
        wanted.append(func.strpos(func.lower(kind.label), func.lower(sought)) > 0)
    return await _read(view, kind, wanted)


async def labels_of(view: PageRequest, kind: Kind, values: Sequence[str]) -> Mapping[str, str]:
    """Labels by value, of those that the user may see."""
    good = [
        one.removeprefix(kind.prefix)
        for one in values
        if one.startswith(kind.prefix) and is_uuid(one.removeprefix(kind.prefix))
    ]
    if not good or not view.may(kind.listed.id):
        return {}
    return dict(await _read(view, kind, [col(kind.row.id).in_(good)], most=len(good)))


async def _read(
    view: PageRequest, kind: Kind, wanted: Sequence[ColumnElement[bool]], most: int = MOST + 1
) -> Sequence[Choice]:
    conditions = [kind.visible_to(view.caller), *wanted]
    if kind.environment is not None:
        conditions.append(kind.environment == str(view.environment))
    statement: Any = select(kind.row.id, kind.label).where(*conditions)
    statement = statement.order_by(col(kind.row.id).desc()).limit(most)
    async with view.control.database.tenant(view.caller.account_id) as session:
        return [(f"{kind.prefix}{row[0]}", str(row[1])) for row in await session.execute(statement)]


def is_search(form: Mapping[str, Sequence[str]]) -> bool:
    """Whether a form was sent to search: by its button, or with a search text that was not searched yet."""
    if "".join(form.get("act", ())) == FIND:
        return True
    start = f"{FIND}."
    return any(
        "".join(form.get(f"found.{name.removeprefix(start)}", ())).strip() != typed[0].strip()
        for name, typed in form.items()
        if name.startswith(start)
    )
