"""Interface to the report store: a ClickHouse server that holds the hours of reports (ADR 113)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from common.values.errors import Unavailable
from common.values.messages import Message

Row = Sequence[Any]
NO_ID = "00000000-0000-0000-0000-000000000000"
"""In an hour without a campaign or an ad, and where only PostgreSQL still has the hour."""


def literal(value: str) -> str:
    """ClickHouse's literal of a text."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


class ReportStoreUnavailable(Unavailable):
    """The store is unavailable, refuses a statement, or is not configured; ``reason`` is for operators only."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            Message("Reports are unavailable at the moment. Try again shortly."), retry_after_s=5
        )
        self.reason = reason


class ReportStoreUrlInvalid(ValueError):
    """The message says what is wrong, without the password."""


class Received(NamedTuple):
    """``shipments``: how many the store has. ``tokens``: the sum of their tokens, which tells their histories apart."""

    shipments: int = 0
    tokens: int = 0


class ReportStore(Protocol):
    """
    Every method may do I/O. Each raises `ReportStoreUnavailable` within half a minute where the store fails.

    ``{hours}`` in statements stands for the store's table.
    """

    async def prepare(self) -> None:
        """Creates the table if it does not exist."""

    async def select(self, statement: str, parameters: Mapping[str, str]) -> list[list[Any]]:
        """
        Returns the rows, with integers as `int` and ids as text.

        *parameters* by name, each in ClickHouse's text of its type, which *statement* states: ``{name:Type}``.
        """

    async def received(self) -> Received: ...

    async def insert(self, rows: Sequence[Row], *, after: Received, token: int) -> None:
        """
        Inserts a shipment, at most a million rows, where the store has received exactly *after*, else nothing.

        All of it or nothing is in the store, and it is durable at return. After an error it may be there, or may still
        arrive: read `received`, or insert the same again. Until an attempt is over, others for the same place raise.
        """

    async def close(self) -> None: ...


async def check_readable(store: ReportStore, sent: int, as_of: Mapping[str, Any]) -> None:
    """
    *sent* and *as_of*: of `report_store`.

    Raises `ReportStoreUnavailable` until the hours of the opening were sent, and where the store lacks a shipment.
    """
    if not as_of:
        raise ReportStoreUnavailable("The hours from before the opening are still being sent.")
    received = await store.received()
    if received.shipments < sent:
        raise ReportStoreUnavailable(
            f"The store has {received.shipments} shipments, but PostgreSQL sent {sent}: it was restored from an older "
            "backup. See Report store in docs/operations.md."
        )


class NoReportStore:
    """Where none is configured: it is always unavailable."""

    async def prepare(self) -> None:
        raise _not_configured()

    async def select(self, *_: Any) -> list[list[Any]]:
        raise _not_configured()

    async def received(self) -> Received:
        raise _not_configured()

    async def insert(self, *_: Any, **__: Any) -> None:
        raise _not_configured()

    async def close(self) -> None:
        return


def _not_configured() -> ReportStoreUnavailable:
    return ReportStoreUnavailable("PLACARD_REPORT_STORE_URL is not set.")
