"""Objects that a job processes in many transactions: each in its own, or some at once where they are only deleted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Select, delete, func, literal_column, select

from control.storage.database import Database, DatabaseUnavailable

ROWS_AT_ONCE = 2_000
"""Rows deleted by one statement: tenths of a second, far from the statement timeout."""
_LOGGED = 20
"""Objects of one run whose failure is logged; of the others, their number."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger("work")


class FailedItems:
    """
    The objects of one run that could not be processed. They do not keep the others from being processed.

    ``ids``: theirs.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._first: Exception | None = None
        self._kinds: set[type[Exception]] = set()

    @contextmanager
    def catching(self, item_id: str) -> Iterator[None]:
        """Logs an exception of the block and continues. Raises `DatabaseUnavailable`: all others would fail, too."""
        try:
            yield
        except DatabaseUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - raised by `raise_first`
            self._log_failure(item_id, error)
            self.ids.append(item_id)
            self._first = self._first or error

    def _log_failure(self, item_id: str, error: Exception) -> None:
        """With the traceback of the first error of each kind."""
        is_new = type(error) not in self._kinds
        if len(self.ids) < _LOGGED or is_new:
            reason = f"{type(error).__name__}: {error}"
            _log.error(
                "job_item_failed", item=item_id, reason=reason, exc_info=error if is_new else None
            )
        self._kinds.add(type(error))

    def raise_first(self) -> None:
        """Call it at the end of the job, which then counts as failed."""
        if len(self.ids) > _LOGGED:
            _log.error("job_items_failed", count=len(self.ids))
        if self._first is not None:
            raise self._first


async def delete_where(
    database: Database,
    table: type[Any],
    condition: ColumnElement[bool],
    *,
    first: Any = None,
    most: int = ROWS_AT_ONCE,
) -> int:
    """
    Deletes the rows of *table* that meet *condition*, in transactions of *most* rows, those with the lowest value of
    the column *first* before the others. Returns how many.

    One statement for all of them would reach its timeout after a pause of the job, undo its work, and never end.
    """
    some: Select[Any] = (
        select(literal_column("ctid")).select_from(table).where(condition).limit(most)
    )
    if first is not None:
        some = some.order_by(first)
    places = func.any(func.array(some.scalar_subquery()))
    statement = delete(table).where(literal_column("ctid") == places)
    gone = 0
    while True:
        async with database.service() as session:
            found = await session.execute(
                statement, execution_options={"synchronize_session": False}
            )
        count: int = found.rowcount  # type: ignore[attr-defined]  # of a DELETE
        gone += count
        if count < most:
            return gone
