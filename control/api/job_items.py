"""Objects that a job processes one after the other, each in its own transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from control.storage.database import DatabaseUnavailable

_log: structlog.stdlib.BoundLogger = structlog.get_logger("work")


class FailedItems:
    """
    The objects of one run that could not be processed. They do not keep the others from being processed.

    ``ids``: theirs.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._first: Exception | None = None

    @contextmanager
    def catching(self, item_id: str) -> Iterator[None]:
        """Logs an exception of the block and continues. Raises `DatabaseUnavailable`: all others would fail, too."""
        try:
            yield
        except DatabaseUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - raised by `raise_first`
            _log.exception("job_item_failed", item=item_id)
            self.ids.append(item_id)
            self._first = self._first or error

    def raise_first(self) -> None:
        """Call it at the end of the job, which then counts as failed."""
        if self._first is not None:
            raise self._first
