"""Interface to the report store: a ClickHouse server that holds the hours of reports (ADR 113)."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from common.values.errors import Unavailable
from common.values.messages import Message

Row = Sequence[Any]


class ReportStoreUnavailable(Unavailable):
    """The store is unavailable, refuses a statement, or is not configured; ``reason`` is for operators only."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            Message("Reports are unavailable at the moment. Try again shortly."), retry_after_s=5
        )
        self.reason = reason


class ReportStoreUrlInvalid(ValueError):
    """The message says what is wrong, without the password."""


class ReportStore(Protocol):
    """
    Every method may do I/O. Each raises `ReportStoreUnavailable` within half a minute where the store fails.

    ``{hours}`` and ``{shipments}`` in statements stand for the store's two tables.
    """

    async def prepare(self) -> None:
        """Creates the tables that do not exist yet."""

    async def select(self, statement: str, parameters: Mapping[str, str]) -> list[list[Any]]:
        """
        Returns the rows, with integers as `int` and ids as text.

        *parameters* by name, each in ClickHouse's text of its type, which *statement* states: ``{name:Type}``.
        """

    async def insert(self, table: str, rows: Sequence[Row], *, token: str) -> None:
        """
        Durable at return. Rows that were inserted into *table* under the same *token* before are not inserted again.

        After an error, some of them may have been inserted: call it again with the same rows.
        """

    async def close(self) -> None: ...


class NoReportStore:
    """Where none is configured: it is always unavailable."""

    async def prepare(self) -> None:
        raise _not_configured()

    async def select(self, *_: Any) -> list[list[Any]]:
        raise _not_configured()

    async def insert(self, *_: Any, **__: Any) -> None:
        raise _not_configured()

    async def close(self) -> None:
        return


def _not_configured() -> ReportStoreUnavailable:
    return ReportStoreUnavailable("PLACARD_REPORT_STORE_URL is not set.")
