"""
Queries without their account filters, as if every author had forgotten them: what is left is row-level security.

It hangs on an engine of the test and rewrites statements on their way to the driver; the product knows nothing of it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    BinaryExpression,
    Boolean,
    ColumnElement,
    TextClause,
    event,
    literal_column,
    or_,
)
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql import visitors
from sqlalchemy.sql.expression import ClauseElement, Executable

from control.storage.tables.base import metadata

_TRUE: ColumnElement[bool] = literal_column("true", Boolean)
_IN_TEXT = re.compile(r"\b((?:\w+\.)?account_id|accounts\.id)\s*=\s*(:\w+)")


@contextmanager
def stripped(engine: AsyncEngine) -> Iterator[list[str]]:
    """While the block runs, no statement of *engine* filters by account. Gives the columns it forgot, as they come."""
    forgotten: list[str] = []

    def rewrite(
        _connection: Any, statement: Executable, many: Any, params: Any, _options: Any
    ) -> tuple[Executable, Any, Any]:
        return strip(statement, forgotten), many, params

    event.listen(engine.sync_engine, "before_execute", rewrite, retval=True)
    try:
        yield forgotten
    finally:
        event.remove(engine.sync_engine, "before_execute", rewrite)


def strip(statement: Executable, forgotten: list[str]) -> Executable:
    """
    *statement* with each comparison of an account column made true, and the column added to *forgotten*.

    The comparison stays beside the ``true``, so that parameters keep their places.
    """
    if isinstance(statement, TextClause):
        return _strip_text(statement, forgotten)
    if not isinstance(statement, ClauseElement):
        return statement

    def replace(element: Any, **_: Any) -> ColumnElement[bool] | None:
        column = _account_column(element)
        if column is None:
            return None
        forgotten.append(column)
        return or_(element._clone(), _TRUE).self_group()

    replaced: Any = visitors.replacement_traverse(statement, {}, replace)
    return replaced  # type: ignore[no-any-return]  # a statement in, a statement out


def _strip_text(statement: TextClause, forgotten: list[str]) -> TextClause:
    def note(found: re.Match[str]) -> str:
        forgotten.append(found[1])
        return f"({found[0]} or true)"

    clone: TextClause = statement._clone()
    clone.text = _IN_TEXT.sub(note, statement.text)
    return clone


def _account_column(element: Any) -> str | None:
    if not isinstance(element, BinaryExpression):
        return None
    for side in (element.left, element.right):
        table, name = getattr(side, "table", None), getattr(side, "name", None)
        if name == "account_id" or (name == "id" and _is_accounts(table)):
            return f"{getattr(table, 'name', '?')}.{name}"
    return None


def _is_accounts(table: Any) -> bool:
    base = getattr(table, "element", table)  # an alias stands for its table
    return getattr(base, "name", None) == metadata.tables["accounts"].name
