"""Rows by id, and lists: a cursor holds the position where its page ended, bound to its caller, filters and order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped
from sqlalchemy.sql.elements import SQLCoreOperations
from sqlmodel.sql.expression import SelectOfScalar

from common.contract.models import Page
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.call import Call
from control.foundation.cursors import encode_cursor, page, parse_cursor
from control.storage.tables.base import Row as TableRow

MAX_COUNTED = 10_000
WantedRows = Select[Any]
"""A list as a statement, without its order, cursor and limit."""


class HasId(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HasId)
Entity = TypeVar("Entity", bound=TableRow)


def _by_id(row: HasId) -> list[Any]:
    return [row.id]


async def get_row(
    session: AsyncSession,
    wanted: Select[Entity],
    id_column: Mapped[str],
    object_id: str,
    *,
    lock: bool = False,
) -> Entity:
    """
    Returns the row of *wanted* that has this id. *lock*: lock it until the transaction ends.

    Raises 404 `not_found`, also for a text that is no UUID.
    """
    if not is_uuid(object_id):
        raise not_found()
    wanted = wanted.where(id_column == object_id)
    found = await session.scalar(wanted.with_for_update() if lock else wanted)
    if found is None:
        raise not_found()
    return found


async def newest_first(
    session: AsyncSession,
    wanted: Select[Entity],
    id_column: Mapped[str],
    limit: int,
    before_id: str | None,
) -> Sequence[Entity]:
    """Rows of *wanted* with ids below *before_id*, newest first. Returns one more than *limit* if there are more."""
    if before_id is not None:
        wanted = wanted.where(id_column < before_id)
    return (await session.scalars(wanted.order_by(id_column.desc()).limit(limit + 1))).all()


def before_id(call: Call) -> str | None:
    """The id after which the page starts. Raises 400 `cursor_invalid` for a cursor of other filters or callers."""
    position = position_of(call)
    return None if position is None else str(position[-1])


def position_of(call: Call) -> list[Any] | None:
    """Returns the position after which the page starts, as `page_of` stored it. Raises as `before_id`."""
    if call.query.cursor is None:
        return None
    return parse_cursor(call.control.keys, _kind(call), call.query.cursor)


def page_of(
    call: Call,
    rows: Sequence[Row],
    to_public: Callable[[Row], BaseModel | dict[str, Any]],
    position: Callable[[Row], list[Any]] = _by_id,
) -> Page[Any]:
    """*rows*: one more than the limit where there are more. *position*: a row's place in the order, as JSON values."""
    return page(
        rows,
        call.query.limit,
        to_public,
        lambda row: encode_cursor(call.control.keys, _kind(call), position(row)),
    )


def wire_page_of(
    call: Call,
    rows: Sequence[Row],
    to_wire: Callable[[Row], dict[str, Any]],
    position: Callable[[Row], list[Any]] = _by_id,
) -> dict[str, Any]:
    """As `page_of`, where each row returns its JSON form: for lists of hundreds of rows."""
    return dict(page_of(call, rows, to_wire, position))


def equal_to(query: BaseModel, entity: type[TableRow]) -> list[ColumnElement[bool]]:
    """
    A condition for each filter of *query* that is set and has the name of a column of *entity*: that they are equal.

    Not for ``environment``: a key has its own (`control.api.authorization.environment_of`).
    """
    filters = (type(query).model_fields.keys() & entity.model_fields.keys()) - {"environment"}
    given = {name: getattr(query, name) for name in sorted(filters)}
    return [
        getattr(entity, name) == (value.value if isinstance(value, Enum) else value)
        for name, value in given.items()
        if value is not None
    ]


def contains(
    texts: Sequence[SQLCoreOperations[Any]], sought: str | None
) -> list[ColumnElement[bool]]:
    """
    The condition that one of *texts* contains *sought*, in any case; none where nothing is sought.

    An index that has the texts answers this without a look at the rows (ADR 81).
    """
    if sought is None:
        return []
    part = func.lower(sought)
    return [or_(*(func.strpos(func.lower(text), part) > 0 for text in texts))]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows a list has; ``has_more``: more than `MAX_COUNTED`, which is ``count`` then."""

    count: int
    has_more: bool


async def count_rows(session: AsyncSession, wanted: WantedRows) -> Counted:
    """Of *wanted*, a list without order and limit. Counts no further than one above `MAX_COUNTED`."""
    one = wanted.with_only_columns(literal(1), maintain_column_froms=True)
    some = one.order_by(None).limit(MAX_COUNTED + 1).subquery()
    found = int(await session.scalar(select(func.count()).select_from(some)) or 0)
    return Counted(min(found, MAX_COUNTED), found > MAX_COUNTED)


async def read_only(
    session: AsyncSession, entity: type[Entity], wanted: SelectOfScalar[Entity]
) -> Sequence[Entity]:
    """
    Returns what *wanted* finds, as named tuples with the attributes of *entity*, at a fraction of the cost of objects.

    For reading only: setting an attribute raises, and nothing is written back.
    """
    columns, shape = _shape_of(entity)
    found = await session.execute(wanted.with_only_columns(*columns))
    return cast("Sequence[Entity]", list(map(shape, found.all())))


@cache
def _shape_of(entity: type[TableRow]) -> tuple[Sequence[ColumnElement[Any]], Callable[..., Any]]:
    """Returns the entity's columns, and a function that makes a row of their values."""
    columns = list(entity.metadata.tables[str(entity.__tablename__)].columns)
    row: Any = NamedTuple(entity.__name__, [(column.key, Any) for column in columns])  # type: ignore[misc]  # the names are the table's
    return columns, row._make


def _kind(call: Call) -> str:
    """A key's own environment and the filter's environment make the same list."""
    principal = call.principal
    environment = principal.environment or getattr(call.query, "environment", None)
    filters = call.query.model_dump_json(exclude={"cursor", "limit", "environment"})
    scope = f"{principal.account_id}:{principal.property_id}:{environment}"
    return f"{call.operation.id}:{scope}:{filters}"
