"""
What an edge knows: immutable objects, one family a type, compiled by the control plane.

Instants are epoch milliseconds, money is micros. An object's canonical JSON (`common.snapshot.codec`) is
what travels, what the digest is taken over and what is kept on disk.
"""

from dataclasses import dataclass
from enum import StrEnum

from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    EventKind,
    Format,
    Objective,
    PricingModel,
    Priority,
    PropertyStatus,
    SlotStatus,
)
from common.values.environment import Environment
from common.values.keys import KeyKind

SCHEMA = 1
"""Raised when an older edge could not read what is published."""


class ObjectType(StrEnum):
    ACCOUNT = "account"
    PROPERTY = "property"
    SLOT = "slot"
    KEY = "key"
    CAMPAIGN = "campaign"
    AD = "ad"
    PACE = "pace"
    RATES = "rates"


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    state: AccountState
    stopped: bool
    """The account's own switch for all its live serving."""
    funded: bool = True
    """Whether its live campaigns can be paid; left out of the body while they can."""


class SecretState(StrEnum):
    VERIFY = "verify"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A property's shared secret, sealed for `Purpose.SNAPSHOT`, bound to the property's id."""

    kid: int
    sealed: str
    state: SecretState


@dataclass(frozen=True, slots=True)
class RateLimits:
    serve_per_key_s: int
    serve_per_ip_s: int
    track_per_key_s: int
    track_per_ip_s: int


@dataclass(frozen=True, slots=True)
class Property:
    id: str
    account_id: str
    kind: str
    domain: str | None
    bundle_id: str | None
    status: PropertyStatus
    timezone: str
    currency: str
    allowed_origins: tuple[str, ...]
    excluded_ip_ranges: tuple[str, ...]
    consent_policy: str
    token_ttl_seconds: int
    rate_limits: RateLimits
    blocked_categories: tuple[str, ...]
    blocked_ad_ids: tuple[str, ...]
    secrets: tuple[SigningSecret, ...]
    server_rendering: bool = False
    """Servers ask with its publishable keys: what they say of the reader is believed."""
    sdk: str = ""
    """Settings for client libraries, as canonical JSON text ``{"flags":{},"min":{}}``; empty where both are."""


@dataclass(frozen=True, slots=True)
class Size:
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Slot:
    id: str
    property_id: str
    key: str
    formats: tuple[Format, ...]
    sizes: tuple[Size, ...]
    floor_micros: int
    """The least eCPM (micros per 1 000 impressions) an auction candidate must have."""
    refresh_seconds: int | None
    house_ad_id: str | None
    blocked_advertiser_domains: tuple[str, ...]
    blocked_categories: tuple[str, ...]
    status: SlotStatus


@dataclass(frozen=True, slots=True)
class Key:
    """A publishable or secret key; a revoked one stays 90 days as a tombstone."""

    id: str
    hash: str
    """SHA-256 of the text, 64 hex digits."""
    kind: KeyKind
    environment: Environment
    property_id: str
    account_id: str
    revoked_at_ms: int | None
    expires_at_ms: int | None


@dataclass(frozen=True, slots=True)
class Budget:
    """
    Micros the ledger may charge ever, and in a day of the campaign's timezone; None: no such bound. Without either it
    is the goal that is spread over the flight, by leases as a budget is.
    """

    total_micros: int | None
    daily_micros: int | None


@dataclass(frozen=True, slots=True)
class Goal:
    """Delivery ends when *total* valid events of *kind* are counted."""

    kind: EventKind
    total: int


@dataclass(frozen=True, slots=True)
class FrequencyCap:
    """At most *limit* valid events of one person in *window_s* seconds. ``scope``: ``campaign`` or ``ad``."""

    scope: str
    event: EventKind
    limit: int
    window_s: int


@dataclass(frozen=True, slots=True)
class Campaign:
    id: str
    account_id: str
    property_ids: tuple[str, ...]
    environment: Environment
    status: CampaignStatus
    priority: Priority
    pricing_model: PricingModel
    bid_micros: int
    """What one billable event costs: an impression (cpm: bid_cents * 10), a click, a conversion."""
    start_at_ms: int | None
    end_at_ms: int | None
    timezone: str
    requires: tuple[str, ...]
    """Features the campaign asks for beyond the plain ones (`common.decision.rules.feature_support`)."""
    spent: bool
    """Its budget is used up, as the ledger says."""
    objective: Objective = Objective.AWARENESS
    """Sets the optimised event (`common.decision.rules.ranking`)."""
    targeting: str = ""
    """What it targets as canonical JSON text, empty for everything; read by `common.decision.rules.targeting`."""
    budget: Budget | None = None
    goal: Goal | None = None
    frequency_caps: tuple[FrequencyCap, ...] = ()
    share_of_voice_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Ad:
    id: str
    campaign_id: str
    environment: Environment
    name: str
    format: Format
    width: int | None
    height: int | None
    content: str
    """The ad's content object as canonical JSON text, rendered by format."""
    categories: tuple[str, ...]
    click_url: str | None
    advertiser_domain: str | None
    impression_trackers: tuple[str, ...]
    click_trackers: tuple[str, ...]
    weight: int
    slot_ids: tuple[str, ...]
    """Empty: every slot of the campaign's properties."""
    status: AdStatus
    requires: tuple[str, ...]
    targeting: str = ""
    """Narrows what the campaign targets; same form."""


@dataclass(frozen=True, slots=True)
class Pace:
    """
    What was delivered of a campaign, as the ledger says, and how freely it may go on. ``id``: the campaign's.

    ``spent_today_micros`` is of *day*, an ISO date in the campaign's timezone. ``counted``: valid events of its goal.
    ``pass_ppm``: of a million opportunities it could win, how many it takes.
    """

    id: str
    spent_micros: int = 0
    spent_today_micros: int = 0
    day: str = ""
    counted: int = 0
    pass_ppm: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Rate:
    """A learned probability, a Beta posterior: its mean in parts per million, and α + β in pseudo-events."""

    ppm: int
    strength: int


@dataclass(frozen=True, slots=True)
class SlotRates:
    slot_id: str
    clicks: Rate
    conversions: Rate


@dataclass(frozen=True, slots=True)
class AdRates:
    """
    Clicks an impression and conversions a click, learned from valid events. ``id``: the ad's. ``by_slot``: where enough
    was seen in a slot to tell it apart, ordered by slot.
    """

    id: str
    clicks: Rate
    conversions: Rate
    by_slot: tuple[SlotRates, ...] = ()


SnapshotObject = Account | Property | Slot | Key | Campaign | Ad | Pace | AdRates

TYPE_OF: dict[type, ObjectType] = {
    Account: ObjectType.ACCOUNT,
    Property: ObjectType.PROPERTY,
    Slot: ObjectType.SLOT,
    Key: ObjectType.KEY,
    Campaign: ObjectType.CAMPAIGN,
    Ad: ObjectType.AD,
    Pace: ObjectType.PACE,
    AdRates: ObjectType.RATES,
}
