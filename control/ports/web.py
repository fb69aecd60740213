"""
Names and pages of the public internet. Both ports answer with values whatever happens outside: a silent server or a
refused page is a result that the caller is told, never an exception.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class RecordKind(StrEnum):
    TEXT = "TXT"
    IPV4 = "A"
    IPV6 = "AAAA"


class LookUpOutcome(StrEnum):
    """How one name server answered."""

    FOUND = "found"
    NO_RECORD = "no_record"
    """The name exists, but has no record of this kind."""
    NO_SUCH_NAME = "no_such_name"
    FAILED = "failed"
    """It answered that it cannot tell: the domain's own servers are away, or its signatures are broken."""
    TIMED_OUT = "timed_out"

    @property
    def is_definite(self) -> bool:
        """Whether it says what the domain publishes."""
        return self not in (LookUpOutcome.FAILED, LookUpOutcome.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class LookUp:
    """What *server* said; ``values`` are empty unless it found something."""

    server: str
    outcome: LookUpOutcome
    values: tuple[str, ...] = ()


class Resolver(Protocol):
    """Several independent name servers, asked directly: the machine's own resolver has no say."""

    async def ask_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:
        """Every server's answer, in their fixed order, each within the resolver's own time limit. Never raises."""
        ...

    async def find_addresses(self, host: str) -> LookUp:
        """
        All IPv4 and IPv6 addresses of *host* as the first server that can tell has them; each server is asked once.
        Never raises.
        """
        ...


class FetchRefusal(StrEnum):
    """Why there is no page."""

    URL_INVALID = "url_invalid"
    SCHEME_NOT_ALLOWED = "scheme_not_allowed"
    PORT_NOT_ALLOWED = "port_not_allowed"
    HOST_NOT_ALLOWED = "host_not_allowed"
    """An address in place of a name, in any spelling, or a name that is not of the public internet."""
    ADDRESS_NOT_PUBLIC = "address_not_public"
    """One address of the name is not: then none of them is connected to."""
    DOWNGRADED = "downgraded"
    """A redirect from https to http."""
    TOO_MANY_REDIRECTS = "too_many_redirects"
    NAME_NOT_FOUND = "name_not_found"
    NAME_UNDECIDED = "name_undecided"
    """No name server could tell."""
    NOT_CONNECTED = "not_connected"
    TLS_FAILED = "tls_failed"
    NOT_HTTP = "not_http"
    ENCODED = "encoded"
    """Compressed, though asked not to."""
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class Page:
    """
    The answer at the end of the redirects, whatever its status; ``body`` is cut at the fetcher's limit. ``url`` is
    in one spelling: its host in lower case and punycode, no user information.
    """

    url: str
    status: int
    body: bytes
    redirects: tuple[str, ...] = ()
    """The addresses that led on, in order, without the last."""


@dataclass(frozen=True, slots=True)
class NotFetched:
    """``url`` is where it ended."""

    url: str
    reason: FetchRefusal
    redirects: tuple[str, ...] = ()


class Fetcher(Protocol):
    """
    Gets pages that a stranger named, and so must not be led to anything but the public internet.

    A name is resolved once a hop, every address of it must be public, and exactly a checked one is connected to. No
    proxy, no cookies, redirects checked like the first address, a limit on time and bytes.
    """

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:
        """https, and http where *plain_http* allows it. Never raises for what the outside does."""
        ...


class NoResolver:
    """Of a context that was given none: nobody can tell."""

    async def ask_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:  # noqa: ARG002 - the port's
        return (await self.find_addresses(name),)

    async def find_addresses(self, host: str) -> LookUp:  # noqa: ARG002 - the port's
        return LookUp("none", LookUpOutcome.TIMED_OUT)


class NoFetcher:
    """Of a context that was given none: no page is ever reached."""

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:  # noqa: ARG002 - the port's
        return NotFetched(url, FetchRefusal.NAME_UNDECIDED)
