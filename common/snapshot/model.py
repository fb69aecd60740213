"""
The data of an edge: immutable objects, one class for each type, compiled by the control plane.

Instants are epoch milliseconds, money is micros. An object's canonical JSON (`common.snapshot.codec`) is transmitted,
digested and stored on disk.
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
"""Raised when an older edge could not read the new format."""


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
    """The account's own switch that stops all its live serving."""
    funded: bool = True
    """Whether the account can pay its live campaigns; left out of the body while it can."""


class SecretState(StrEnum):
    VERIFY = "verify"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A property's shared secret, sealed for `Purpose.SNAPSHOT` and bound to the property's id."""

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
    """Servers use the property's publishable keys, and their information about the user is trusted."""
    sdk: str = ""
    """Settings for client libraries, as canonical JSON text ``{"flags":{},"min":{}}``; empty where both are empty."""


@dataclass(frozen=True, slots=True)
class Size:
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class AudioLimits:
    """Of one ad break of an audio slot, and so of each of its ads."""

    max_duration_ms: int
    max_ads: int


@dataclass(frozen=True, slots=True)
class Slot:
    id: str
    property_id: str
    key: str
    formats: tuple[Format, ...]
    sizes: tuple[Size, ...]
    floor_micros: int
    """The minimum eCPM of an auction candidate (micros per 1 000 impressions)."""
    refresh_seconds: int | None
    house_ad_id: str | None
    blocked_advertiser_domains: tuple[str, ...]
    blocked_categories: tuple[str, ...]
    status: SlotStatus
    separate_categories: bool = False
    """Whether the ads of one break must be of different categories."""
    audio: AudioLimits | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A publishable or secret key; a revoked one is kept for 90 days as a tombstone."""

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
    Micros that the ledger may charge in total, and in one day of the campaign's timezone; None: no such limit. Where
    both are None, the campaign has a goal alone, which is leased as a budget is.
    """

    total_micros: int | None
    daily_micros: int | None


@dataclass(frozen=True, slots=True)
class Goal:
    """Delivery ends once *total* valid events of *kind* are counted."""

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
    """Price of one billable event: an impression (cpm: bid_cents * 10), a click, a conversion."""
    start_at_ms: int | None
    end_at_ms: int | None
    timezone: str
    requires: tuple[str, ...]
    """Features that the campaign requires beyond the plain ones (`common.decision.rules.feature_support`)."""
    spent: bool
    """Its budget is used up according to the ledger."""
    objective: Objective = Objective.AWARENESS
    """Determines the optimised event (`common.decision.rules.ranking`)."""
    targeting: str = ""
    """Its targeting as canonical JSON text, empty for everything; parsed by `common.decision.rules.targeting`."""
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
    """Narrows the campaign's targeting; same form."""


@dataclass(frozen=True, slots=True)
class Pace:
    """
    A campaign's delivery according to the ledger, and its pass-through. ``id``: the campaign's.

    ``spent_today_micros`` covers *day*, an ISO date in the campaign's timezone. ``counted``: valid events of its goal.
    ``pass_ppm``: how many it takes of a million opportunities that it could win.
    """

    id: str
    spent_micros: int = 0
    spent_today_micros: int = 0
    day: str = ""
    counted: int = 0
    pass_ppm: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Rate:
    """A learned probability as a Beta posterior: its mean in parts per million, and α + β in pseudo-events."""

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
    Clicks an impression and conversions a click, learned from valid events. ``id``: the ad's. ``by_slot``: slots with
    enough evidence for rates of their own, ordered by slot.
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
