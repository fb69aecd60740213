"""The outcome of one opportunity: `Fill`, or `NoFill` with one reason of a closed set."""

from dataclasses import dataclass, field
from enum import StrEnum

from common.snapshot.model import Ad, Campaign
from common.values.enums import Source


class NoFillReason(StrEnum):
    """Why no ad was served: the first rule that excluded the last candidate. Also used as a metric label."""

    NO_CANDIDATE = "no_candidate"
    """No campaign of this environment has an ad for this property and slot."""
    ACCOUNT_STOPPED = "account_stopped"
    NO_FUNDS = "no_funds"
    """The campaign's account cannot pay: its wallet is empty, or its credit limit is reached."""
    DEMO_NEVER_FILLS = "demo_never_fills"
    SLOT_ARCHIVED = "slot_archived"
    STALE_SNAPSHOT = "stale_snapshot"
    SPOOL_FULL = "spool_full"
    CAMPAIGN_NOT_ACTIVE = "campaign_not_active"
    AD_NOT_ACTIVE = "ad_not_active"
    OUT_OF_FLIGHT = "out_of_flight"
    NOT_SUPPORTED_YET = "not_supported_yet"
    """The campaign or ad requires something that this release does not support."""
    BUDGET_SPENT = "budget_spent"
    FORMAT_MISMATCH = "format_mismatch"
    SIZE_MISMATCH = "size_mismatch"
    SLOT_NOT_TARGETED = "slot_not_targeted"
    BLOCKED_ADVERTISER = "blocked_advertiser"
    BLOCKED_CATEGORY = "blocked_category"
    BLOCKED_AD = "blocked_ad"
    BELOW_FLOOR = "below_floor"
    GEO_NOT_TARGETED = "geo_not_targeted"
    DEVICE_NOT_TARGETED = "device_not_targeted"
    LANGUAGE_NOT_TARGETED = "language_not_targeted"
    DAYPART_NOT_TARGETED = "daypart_not_targeted"
    KEYWORDS_NOT_TARGETED = "keywords_not_targeted"
    KEY_VALUES_NOT_TARGETED = "key_values_not_targeted"
    SEGMENTS_NOT_TARGETED = "segments_not_targeted"
    UNFIT_FOR_CHILDREN = "unfit_for_children"
    ADVERTISER_ALREADY_SHOWN = "advertiser_already_shown"
    """Another slot of the same call, or the same ad break, shows this advertiser."""
    CATEGORY_ALREADY_SHOWN = "category_already_shown"
    """The same ad break shows an ad of this category, and the slot separates categories."""
    DURATION_MISMATCH = "duration_mismatch"
    """The ad is longer than what is left of the break."""
    SHARE_OF_VOICE = "share_of_voice"
    """Sponsors have shares of the slot, and this opportunity belongs to none of them."""
    GOAL_REACHED = "goal_reached"
    PACED = "paced"
    """The campaign could win, but skips this opportunity so that its budget lasts its flight."""
    FREQUENCY_CAPPED = "frequency_capped"
    CAP_NOT_KNOWN = "cap_not_known"
    """
    It has a cap, and this person's counts are unknown:
    no consented uid, no counter, or the store was unavailable.
    """


@dataclass(slots=True, init=False)
class Fill:
    """
    ``price_micros``: the price of one billable event of the pricing model; fixed in the token.

    Not frozen, like everything created for each request: a frozen one costs four times as much to create.
    """

    campaign: Campaign
    ad: Ad
    source: Source
    price_micros: int

    def __init__(self, campaign: Campaign, ad: Ad, source: Source, price_micros: int) -> None:
        self.campaign = campaign
        self.ad = ad
        self.source = source
        self.price_micros = price_micros


@dataclass(frozen=True, slots=True)
class NoFill:
    """
    ``of_candidates``: where ``reason`` is that of the house ad's frequency cap, the reason of the slot's other
    candidates. It is no part of a comparison.
    """

    reason: NoFillReason
    of_candidates: NoFillReason | None = field(default=None, compare=False)


Decision = Fill | NoFill


@dataclass(frozen=True, slots=True)
class Considered:
    """
    One line of an explanation: a candidate, and the first gate that dropped it (None: no evaluated gate did).

    ``turn``: its position among the candidates that were tried, from 1; None where it was not tried. ``matched`` and
    ``missed``: the kinds of targeting it uses that match, and that do not. Rates are per million.
    """

    account_id: str
    campaign_id: str
    ad_id: str
    dropped_by: NoFillReason | None
    priority: str
    ecpm_micros: int
    turn: int | None = None
    won: bool = False
    weight: int = 1
    clicks_ppm: int = 0
    conversions_ppm: int = 0
    matched: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """``considered``: most relevant first, beginning with the winner; ``total``: the number of candidates."""

    decision: Decision
    considered: tuple[Considered, ...]
    total: int = 0
