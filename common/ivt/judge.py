"""
The invalid-traffic filter for a single request: pure, versioned; the first rule that applies decides.

It has two steps. `extract_signals` looks the request up in the lists and returns the findings as `IvtSignals`, without
personal data; `judge_signals` decides from these alone. The signals are stored with the event, so it can be judged
again. Nothing is blocked here: an invalid event is marked, stored and shown, and not billed. Rates, double clicks and
the like need windows and are judged at ingest (`common.ivt.windows`). ``docs/invalid-traffic.md`` has the order of all
rules, and the reasons.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from common.ivt import ivt_flags as signs
from common.ivt.judge_lists import JudgeLists
from common.ivt.lists import ranges_of
from common.ivt.mail import follows_links, loads_unread, loads_when_opened
from common.snapshot.model import Property
from common.user_agent.user_agent import AgentKind, UserAgent, parse_user_agent
from common.values.enums import EventKind, PropertyKind, QualitySignal, Reason, Surface

JUDGE_VERSION = 2
MAX_SKEW_MS = 15_000
ENDED_GRACE_MS = 86_400_000
"""Equals the life of the longest-lived page token: an ad from a flight's last serve may still be seen and clicked."""

_SERVED_BY_SERVERS = frozenset({Surface.SERVER, Surface.EMAIL, Surface.AMP, Surface.CTV})
_NOT_PEOPLE = frozenset({AgentKind.ROBOT, AgentKind.HTTP_LIBRARY})
_BOUND_TO_FLIGHT = frozenset({EventKind.IMPRESSION, EventKind.CLICK})
_KEPT = 4096
"""Cached origins: a property's pages are on few origins."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(slots=True, init=False, repr=False)
class IvtInput:
    """
    The facts of one request, of the token it redeemed, and of the event. Full address and agent stay in the process:
    the class has no repr, so that they do not end up in a log.
    """

    address: IPv4Address | IPv6Address | None
    """None: a server named its user's agent and not the address, so no rule about addresses applies."""
    user_agent: str | None
    """None: the request had none, or an absurdly long one."""
    origin: str | None
    """The ``Origin`` header as an origin; None also for the opaque ``null``."""
    prefetch: bool
    server_caller: bool
    is_test: bool
    consent_limited: bool
    surface: Surface
    issued_ms: int
    at_ms: int
    kind: EventKind | QualitySignal = EventKind.IMPRESSION
    campaign_ends_ms: int | None = None
    """None: it does not end, or the end is not known here."""
    is_agent_unstated: bool = False
    """A server named its user's address and not the agent: ``user_agent`` is None, and no rule about agents applies."""

    def __init__(
        self,
        *,
        address: IPv4Address | IPv6Address | None,
        user_agent: str | None,
        origin: str | None,
        prefetch: bool,
        server_caller: bool,
        is_test: bool,
        consent_limited: bool,
        surface: Surface,
        issued_ms: int,
        at_ms: int,
        kind: EventKind | QualitySignal = EventKind.IMPRESSION,
        campaign_ends_ms: int | None = None,
        is_agent_unstated: bool = False,
    ) -> None:
        self.address = address
        self.user_agent = user_agent
        self.origin = origin
        self.prefetch = prefetch
        self.server_caller = server_caller
        self.is_test = is_test
        self.consent_limited = consent_limited
        self.surface = surface
        self.issued_ms = issued_ms
        self.at_ms = at_ms
        self.kind = kind
        self.campaign_ends_ms = campaign_ends_ms
        self.is_agent_unstated = is_agent_unstated

    @property
    def agent(self) -> UserAgent | None:
        return None if self.user_agent is None else parse_user_agent(self.user_agent)


@dataclass(slots=True, init=False)
class IvtSignals:
    """Everything that a verdict depends on. ``signs``: bits of `common.ivt.ivt_flags`."""

    kind: EventKind | QualitySignal
    surface: Surface
    is_test: bool
    consent_limited: bool
    issued_ms: int
    at_ms: int
    signs: int

    def __init__(
        self,
        *,
        kind: EventKind | QualitySignal,
        surface: Surface,
        is_test: bool,
        consent_limited: bool,
        issued_ms: int,
        at_ms: int,
        signs: int,
    ) -> None:
        self.kind = kind
        self.surface = surface
        self.is_test = is_test
        self.consent_limited = consent_limited
        self.issued_ms = issued_ms
        self.at_ms = at_ms
        self.signs = signs


@dataclass(slots=True, init=False)
class Verdict:
    reason: Reason
    version: int = JUDGE_VERSION
    signs: int = 0
    live_reason: Reason | None = None
    """For test traffic: the reason that the same request would get in the live environment."""

    def __init__(
        self,
        reason: Reason,
        version: int = JUDGE_VERSION,
        signs: int = 0,
        live_reason: Reason | None = None,
    ) -> None:
        self.reason = reason
        self.version = version
        self.signs = signs
        self.live_reason = live_reason

    @property
    def valid(self) -> bool:
        return self.reason.valid


def judge(ivt_input: IvtInput, prop: Property, lists: JudgeLists) -> Verdict:
    """Returns the same verdict for the same arguments, as long as `JUDGE_VERSION` is the same."""
    verdict = judge_signals(extract_signals(ivt_input, prop, lists))
    if ivt_input.is_test:
        live = replace(ivt_input, is_test=False)
        verdict.live_reason = judge_signals(extract_signals(live, prop, lists)).reason
    return verdict


def judge_signals(signals: IvtSignals) -> Verdict:
    """Returns the verdict of *signals*, which may be stored ones."""
    return Verdict(_reason(signals), signs=signals.signs)


def extract_signals(ivt_input: IvtInput, prop: Property, lists: JudgeLists) -> IvtSignals:
    """Compares the request with *lists* and the property. The result is stored, and holds nothing personal."""
    found = _agent(ivt_input, lists) | _address(ivt_input, prop, lists) | _origin(ivt_input, prop)
    ends_ms = ivt_input.campaign_ends_ms
    if ivt_input.prefetch:
        found |= signs.PREFETCH
    if ivt_input.server_caller:
        found |= signs.SERVER_CALLER
    if ends_ms is not None and ivt_input.at_ms > ends_ms + ENDED_GRACE_MS:
        found |= signs.AFTER_END
    return IvtSignals(
        kind=ivt_input.kind,
        surface=ivt_input.surface,
        is_test=ivt_input.is_test,
        consent_limited=ivt_input.consent_limited,
        issued_ms=ivt_input.issued_ms,
        at_ms=ivt_input.at_ms,
        signs=found,
    )


def _reason(signals: IvtSignals) -> Reason:
    found = signals.signs
    if found & signs.PREFETCH:
        return Reason.PREFETCH
    person = not signals.is_test and not found & signs.SERVER_CALLER
    return (
        (_mail(signals) if person and signals.surface is Surface.EMAIL else None)
        or (_identity_rules(signals) if person else None)
        or _origin_rules(signals)
        or (None if signals.is_test else _time(signals))
        or _valid(signals)
    )


def _mail(signals: IvtSignals) -> Reason | None:
    if signals.kind is EventKind.IMPRESSION and signals.signs & signs.MAIL_PROXY:
        return Reason.MAIL_PRIVACY_PROXY
    if signals.kind is EventKind.CLICK and signals.signs & (signs.LINK_SCANNER | signs.DATACENTER):
        return Reason.MAIL_LINK_SCANNER
    return None


def _identity_rules(signals: IvtSignals) -> Reason | None:
    found = signals.signs
    if found & signs.NO_AGENT:
        return Reason.MISSING_USER_AGENT
    if found & signs.ROBOT:
        return Reason.BOT_USER_AGENT
    if found & signs.UNKNOWN_AGENT and signals.surface is Surface.WEB:
        return Reason.UNKNOWN_USER_AGENT
    if found & signs.DATACENTER and signals.surface not in _SERVED_BY_SERVERS:
        return Reason.DATACENTER_IP
    return None


def _origin_rules(signals: IvtSignals) -> Reason | None:
    if signals.signs & signs.INTERNAL:
        return Reason.INTERNAL_TRAFFIC
    return Reason.ORIGIN_MISMATCH if signals.signs & signs.FOREIGN_ORIGIN else None


def _time(signals: IvtSignals) -> Reason | None:
    if signals.issued_ms - signals.at_ms > MAX_SKEW_MS:
        return Reason.CLOCK_SKEW
    ended = signals.signs & signs.AFTER_END and signals.kind in _BOUND_TO_FLIGHT
    return Reason.CAMPAIGN_ENDED if ended else None


def _valid(signals: IvtSignals) -> Reason:
    if signals.is_test:
        return Reason.OK_TEST
    return Reason.OK_CONSENT_LIMITED if signals.consent_limited else Reason.OK


def _agent(ivt_input: IvtInput, lists: JudgeLists) -> int:
    if ivt_input.is_agent_unstated:
        return 0
    text, agent = ivt_input.user_agent, ivt_input.agent
    if text is None or agent is None:
        return signs.NO_AGENT
    found = 0
    if ivt_input.surface is Surface.EMAIL:
        opens = loads_when_opened(text)
        if loads_unread(text) or (opens and not lists.count_opens):
            found |= signs.MAIL_PROXY
        elif opens:
            return 0
        if follows_links(text):
            found |= signs.LINK_SCANNER
    if agent.kind in _NOT_PEOPLE:
        found |= signs.ROBOT
    elif agent.kind is AgentKind.UNKNOWN:
        found |= signs.UNKNOWN_AGENT
    return found


def _address(ivt_input: IvtInput, prop: Property, lists: JudgeLists) -> int:
    """Ignores a server's own address: it is not its user's."""
    address = ivt_input.address
    if address is None or ivt_input.server_caller:
        return 0
    found = 0
    if address in lists.datacenter:
        found |= signs.DATACENTER
    if ivt_input.surface is Surface.EMAIL and address in lists.scanners:
        found |= signs.LINK_SCANNER
    if prop.excluded_ip_ranges and address in ranges_of(prop.excluded_ip_ranges):
        found |= signs.INTERNAL
    return found


def _origin(ivt_input: IvtInput, prop: Property) -> int:
    if ivt_input.origin is None or prop.kind != PropertyKind.WEB:
        return 0
    if _is_own(ivt_input.origin, prop.allowed_origins, prop.domain):
        return 0
    if ivt_input.is_test and _is_loopback(_host(ivt_input.origin)):
        return 0
    return signs.FOREIGN_ORIGIN


@lru_cache(maxsize=_KEPT)
def _is_own(origin: str, allowed: tuple[str, ...], domain: str | None) -> bool:
    """Whether the host is one of the property's or a subdomain of one; True where the property has none."""
    own = [_host(one) for one in allowed]
    if domain:
        own.append(domain.lower())
    host = _host(origin)
    return not own or any(host == mine or host.endswith(f".{mine}") for mine in own if mine)


def _host(origin: str) -> str:
    """Returns the host of an origin, or of a bare host."""
    try:
        return urlsplit(origin if "://" in origin else f"//{origin}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.endswith(".localhost")
