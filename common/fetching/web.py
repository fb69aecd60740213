"""
Interfaces to DNS and to pages of the public internet. Both ports return values whatever happens outside: a silent
server or a refused page is a result, never an exception.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class RecordKind(StrEnum):
    TEXT = "TXT"
    IPV4 = "A"
    IPV6 = "AAAA"


class LookUpOutcome(StrEnum):
    """Outcome of a query to one name server."""

    FOUND = "found"
    NO_RECORD = "no_record"
    """The name exists but has no record of this kind."""
    NO_SUCH_NAME = "no_such_name"
    FAILED = "failed"
    """The server failed: the domain's own servers are unavailable, or its signatures are invalid."""
    TIMED_OUT = "timed_out"

    @property
    def is_definite(self) -> bool:
        """Whether the outcome shows what the domain publishes."""
        return self not in (LookUpOutcome.FAILED, LookUpOutcome.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class LookUp:
    """Result of *server*; ``values`` is empty unless records were found."""

    server: str
    outcome: LookUpOutcome
    values: tuple[str, ...] = ()


class Resolver(Protocol):
    """Queries several independent name servers directly; the machine's own resolver is not used."""

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:
        """Returns every server's result, in a fixed order, each within the resolver's time limit. Never raises."""
        ...

    async def find_addresses(self, host: str) -> LookUp:
        """
        Returns all IPv4 and IPv6 addresses of *host* from the first server with a definite result. Queries each server
        once.

        Never raises.
        """
        ...


class FetchRefusal(StrEnum):
    """Reason why a page was not fetched."""

    URL_INVALID = "url_invalid"
    SCHEME_NOT_ALLOWED = "scheme_not_allowed"
    PORT_NOT_ALLOWED = "port_not_allowed"
    HOST_NOT_ALLOWED = "host_not_allowed"
    """An address instead of a name, in any notation, or a name that is not public."""
    ADDRESS_NOT_PUBLIC = "address_not_public"
    """At least one address of the name is not public; then no connection is made to any of them."""
    DOWNGRADED = "downgraded"
    """A redirect from https to http."""
    TOO_MANY_REDIRECTS = "too_many_redirects"
    NAME_NOT_FOUND = "name_not_found"
    NAME_UNDECIDED = "name_undecided"
    """No name server gave a definite result."""
    NOT_CONNECTED = "not_connected"
    TLS_FAILED = "tls_failed"
    NOT_HTTP = "not_http"
    ENCODED = "encoded"
    """The response is compressed although the request asked for none."""
    TIMED_OUT = "timed_out"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True)
class Page:
    """
    The final response after all redirects, of any status; ``body`` is cut at the fetcher's limit.

    ``url`` is normalized: its host in lower case and punycode, without user information.
    """

    url: str
    status: int
    body: bytes
    redirects: tuple[str, ...] = ()
    """The redirecting URLs in order, without the final one."""


@dataclass(frozen=True, slots=True)
class NotFetched:
    """A page that was not fetched; ``url`` is the last one that was tried."""

    url: str
    reason: FetchRefusal
    redirects: tuple[str, ...] = ()


class Fetcher(Protocol):
    """
    Fetches pages at untrusted addresses, and so must reach nothing except the public internet.

    Each hop resolves its name once, requires every address to be public, and connects to exactly one checked address.
    It uses no proxy and no cookies, checks redirects like the first address, and limits time and bytes.
    """

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:
        """Fetches https, and http where *plain_http* allows it. Never raises for failures outside."""
        ...


class NoResolver:
    """Default of a context that was given none: every look-up times out."""

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:  # noqa: ARG002 - the port's
        return (await self.find_addresses(name),)

    async def find_addresses(self, host: str) -> LookUp:  # noqa: ARG002 - the port's
        return LookUp("none", LookUpOutcome.TIMED_OUT)


class NoFetcher:
    """Default of a context that was given none: no page is ever fetched."""

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:  # noqa: ARG002 - the port's
        return NotFetched(url, FetchRefusal.NAME_UNDECIDED)
