"""A result of the doctor: what was checked, how serious it is, and what to do."""

from dataclasses import asdict, dataclass
from enum import StrEnum

_NOTICEABLE_S = 1.0
_WRONG_S = 10.0


class Level(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Fine on one machine or at the first start, not in production."""
    WARNING = "warning"
    """Works now. A failure or growth makes it an error."""
    ERROR = "error"
    """Does not work, or loses data."""

    def at_least(self, other: "Level") -> bool:
        order = list(Level)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Finding:
    """*check*: a stable name for machines, `SUBJECT.WHAT`. *remedy*: empty only where *level* is OK."""

    check: str
    level: Level
    text: str
    remedy: str = ""

    def to_wire(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items()}


def ok(check: str, text: str) -> Finding:
    return Finding(check, Level.OK, text)


def note(check: str, text: str, remedy: str) -> Finding:
    return Finding(check, Level.NOTE, text, remedy)


def warning(check: str, text: str, remedy: str) -> Finding:
    return Finding(check, Level.WARNING, text, remedy)


def error(check: str, text: str, remedy: str) -> Finding:
    return Finding(check, Level.ERROR, text, remedy)


def compare_clocks(check: str, server: str, ahead_s: float) -> Finding:
    """
    *ahead_s*: how far *server*'s clock is ahead of ours. Track tokens have a leeway of 30 s; leases and heartbeats are
    exact to about a second.
    """
    text = f"The clock of {server} differs from this machine's by {abs(ahead_s):.1f} s."
    remedy = "Run NTP (chrony, systemd-timesyncd) on both machines."
    if abs(ahead_s) > _WRONG_S:
        return error(check, text, remedy)
    if abs(ahead_s) > _NOTICEABLE_S:
        return warning(check, text, remedy)
    return ok(check, text)
