"""
Announces removals: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on every response of an operation, or on responses
to calls that use a parameter, at least a year ahead.
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
    A feature that clients should not adopt after *since*, and that is removed on *sunset*. *instead*: its replacement,
    as a sentence.

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
        """The fields of an operation or a parameter in the API description."""
        return {"deprecated": True, "x-sunset": self.sunset.isoformat()}


def headers_for(
    operation: Deprecated | None, parameters: Mapping[str, Deprecated], named: Collection[str]
) -> dict[str, str]:
    """
    Returns the headers for a call with the parameters *named*:
    those of the deprecated item that is removed first.
    """
    found = [one for name, one in parameters.items() if name in named]
    found += [operation] if operation is not None else []
    return min(found, key=lambda one: one.sunset).headers if found else {}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
