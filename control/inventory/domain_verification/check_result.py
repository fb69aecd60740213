"""The result of a check: whether the proof was found, the problem if not, and every observation."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    PROVEN = "proven"
    ABSENT = "absent"
    """The proof is not published: the domain gave a definite answer."""
    UNDECIDED = "undecided"
    """The check was inconclusive; it does not count against the property."""


class Problem(StrEnum):
    """Why a check failed."""

    RECORD_MISSING = "record_missing"
    RECORD_DIFFERS = "record_differs"
    NAME_SERVERS_FAIL = "name_servers_fail"
    RESOLVERS_DISAGREE = "resolvers_disagree"
    RESOLVER_SILENT = "resolver_silent"
    TAG_MISSING = "tag_missing"
    TAG_DIFFERS = "tag_differs"
    PAGE_NOT_OK = "page_not_ok"
    PAGE_UNREACHABLE = "page_unreachable"
    PAGE_REFUSED = "page_refused"
    PAGE_ELSEWHERE = "page_elsewhere"
    HELD_BY_ANOTHER = "held_by_another"


@dataclass(frozen=True, slots=True)
class Observation:
    """
    The result of one request: a name server's answer, or a page. ``outcome`` is that of the look-up, ``fetched``, or
    the reason of a refusal; ``values`` are TXT values, or the contents of the verification tags.
    """

    source: str
    outcome: str
    values: tuple[str, ...] = ()
    status: int | None = None
    redirects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    outcome: Outcome
    saw: tuple[Observation, ...]
    problem: Problem | None = None
    """None if and only if the outcome is proven."""
