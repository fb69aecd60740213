"""
The invalid-traffic filter over what one request shows: pure, versioned, first rule that speaks decides.

General invalid traffic only, from lists and declarations; rates, double clicks and the like need windows and
are judged at ingest. Nothing is blocked here: an event is marked, stored and shown, and not billed.

Order, and where a rule does not apply:

1. ``prefetch``            the request declares itself speculative
2. ``missing_user_agent``  none, or one over 1 024 characters    ┐ not in test, nor for
3. ``bot_user_agent``      robots and generic HTTP libraries     │ server callers (a secret key
4. ``unknown_user_agent``  no family known, on the web surface   ┘ vouches for its own program)
5. ``datacenter_ip``       not in test, for server callers, nor on surfaces that servers fetch
6. ``internal_traffic``    the property's own excluded ranges; not for server callers
7. ``origin_mismatch``     a web property's page on a host that is not its own; loopback passes in test
8. ``clock_skew``          the token was issued further ahead of now than clocks may differ; not in test
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from common.ivt.lists import NO_RANGES, AddressRanges, ranges_of
from common.privacy.user_agent import AgentKind, UserAgent
from common.snapshot.model import Property
from common.vocabulary import PropertyKind, Reason, Surface

JUDGE_VERSION = 1
MAX_SKEW_MS = 15_000

_SERVED_BY_SERVERS = frozenset({Surface.SERVER, Surface.EMAIL, Surface.AMP, Surface.CTV})
_NOT_PEOPLE = frozenset({AgentKind.ROBOT, AgentKind.HTTP_LIBRARY})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class JudgeLists:
    datacenter: AddressRanges = NO_RANGES


@dataclass(slots=True)
class Showing:
    """What one request showed, and the token it redeemed. Full address and agent stay in the process."""

    address: IPv4Address | IPv6Address | None
    user_agent: UserAgent | None
    """None: the request carried none, or an absurdly long one."""
    origin: str | None
    """The ``Origin`` header as an origin; None also for the opaque ``null``."""
    prefetch: bool
    server_caller: bool
    is_test: bool
    consent_limited: bool
    surface: Surface
    issued_ms: int
    at_ms: int


@dataclass(slots=True)
class Verdict:
    reason: Reason
    version: int = JUDGE_VERSION

    @property
    def valid(self) -> bool:
        return self.reason.valid


def judge(showing: Showing, prop: Property, lists: JudgeLists) -> Verdict:
    """The same arguments give the same verdict, for ever, under one `JUDGE_VERSION`."""
    reason = (
        _declared(showing)
        or _agent(showing)
        or _address(showing, prop, lists)
        or _origin(showing, prop)
        or _clock(showing)
        or _valid(showing)
    )
    return Verdict(reason)


def _declared(showing: Showing) -> Reason | None:
    return Reason.PREFETCH if showing.prefetch else None


def _agent(showing: Showing) -> Reason | None:
    if showing.is_test or showing.server_caller:
        return None
    if showing.user_agent is None:
        return Reason.MISSING_USER_AGENT
    if showing.user_agent.kind in _NOT_PEOPLE:
        return Reason.BOT_USER_AGENT
    if showing.user_agent.kind is AgentKind.UNKNOWN and showing.surface is Surface.WEB:
        return Reason.UNKNOWN_USER_AGENT
    return None


def _address(showing: Showing, prop: Property, lists: JudgeLists) -> Reason | None:
    if showing.address is None or showing.server_caller:
        return None
    fetched_by_people = not showing.is_test and showing.surface not in _SERVED_BY_SERVERS
    if fetched_by_people and showing.address in lists.datacenter:
        return Reason.DATACENTER_IP
    if prop.excluded_ip_ranges and showing.address in ranges_of(prop.excluded_ip_ranges):
        return Reason.INTERNAL_TRAFFIC
    return None


def _origin(showing: Showing, prop: Property) -> Reason | None:
    if showing.origin is None or prop.kind != PropertyKind.WEB:
        return None
    own = [_host(origin) for origin in prop.allowed_origins]
    if prop.domain:
        own.append(prop.domain.lower())
    host = _host(showing.origin)
    if not own or (showing.is_test and _is_loopback(host)):
        return None
    if any(host == mine or host.endswith(f".{mine}") for mine in own if mine):
        return None
    return Reason.ORIGIN_MISMATCH


def _clock(showing: Showing) -> Reason | None:
    ahead_ms = showing.issued_ms - showing.at_ms
    return Reason.CLOCK_SKEW if not showing.is_test and ahead_ms > MAX_SKEW_MS else None


def _valid(showing: Showing) -> Reason:
    if showing.is_test:
        return Reason.OK_TEST
    return Reason.OK_CONSENT_LIMITED if showing.consent_limited else Reason.OK


def _host(origin: str) -> str:
    """Of an origin, or of a bare host."""
    try:
        return urlsplit(origin if "://" in origin else f"//{origin}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.endswith(".localhost")
