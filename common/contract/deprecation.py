"""
Announcing what goes away: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on every answer of an operation, or on those
to calls that name a parameter, at least a year before.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from functools import cached_property

MIN_NOTICE = timedelta(days=365)


@dataclass(frozen=True)
class Deprecated:
    """
    From *since* on nobody should begin to use it; from *sunset* on it is gone. *instead*: what to use, a sentence.

    Raises ValueError where less than a year lies between the two.
    """

    since: date
    sunset: date
    instead: str

    def __post_init__(self) -> None:
        if self.sunset - self.since < MIN_NOTICE:
            raise ValueError(
                f"What goes away is announced {MIN_NOTICE.days} days before. Name a later sunset."
            )

    @cached_property
    def headers(self) -> dict[str, str]:
        sunset = format_datetime(_midnight(self.sunset), usegmt=True)
        return {"Deprecation": f"@{int(_midnight(self.since).timestamp())}", "Sunset": sunset}

    @property
    def words(self) -> str:
        return f"Deprecated since {self.since}, gone on {self.sunset}. {self.instead}"

    @property
    def described(self) -> dict[str, object]:
        """As an operation or a parameter of the description says it."""
        return {"deprecated": True, "x-sunset": self.sunset.isoformat()}


def headers_for(
    operation: Deprecated | None, parameters: Mapping[str, Deprecated], named: Collection[str]
) -> dict[str, str]:
    """The headers for a call that sends the parameters *named*: of all that goes away, what goes first."""
    found = [one for name, one in parameters.items() if name in named]
    found += [operation] if operation is not None else []
    return min(found, key=lambda one: one.sunset).headers if found else {}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
