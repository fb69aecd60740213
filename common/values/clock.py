"""Time is an argument: every rule takes a clock or an instant. Only this file reads the machine's clock."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Source of the current time."""

    def now_ms(self) -> int:
        """Milliseconds since the Unix epoch."""
        ...

    def now(self) -> datetime:
        """The same instant, aware, in UTC."""
        ...

    def monotonic_s(self) -> float:
        """Seconds of a clock that never goes back; only differences are meaningful."""
        ...

    def monotonic_ms(self) -> int:
        """The same in whole milliseconds. Nobody sets this clock, so rates and waits are measured by it."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this file owns the machine's clock

    def monotonic_s(self) -> float:
        return time.monotonic()

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


class FixedClock:
    """A clock with a fixed, settable time, for tests and replays."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms
        self._set_by_ms = 0

    def now_ms(self) -> int:
        return self._now_ms + self._set_by_ms

    def now(self) -> datetime:
        return from_ms(self.now_ms())

    def monotonic_s(self) -> float:
        return self._now_ms / 1000

    def monotonic_ms(self) -> int:
        return self._now_ms

    def advance(self, *, ms: int) -> None:
        self._now_ms += ms

    def set_by(self, *, ms: int) -> None:
        """Sets the wall clock forward or back, as an operator may; no time passes."""
        self._set_by_ms += ms


def from_ms(instant_ms: int) -> datetime:
    """An aware UTC datetime, to the millisecond."""
    return datetime.fromtimestamp(instant_ms / 1000, UTC)


def to_ms(instant: datetime) -> int:
    """Milliseconds since the epoch of an aware datetime, rounded down."""
    return int(instant.timestamp() * 1000)


def to_iso(instant: datetime) -> str:
    """The wire form: UTC, milliseconds, ``Z``."""
    if instant.tzinfo is not UTC:
        instant = instant.astimezone(UTC)
    return f"{instant.isoformat('T', 'milliseconds')[:23]}Z"
