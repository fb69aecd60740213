"""Whether a campaign delivers now, and if not, why. Pure, from data of the control plane."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from common.decision.rules.feature_support import SUPPORTED, unsupported
from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    PricingModel,
    PropertyStatus,
)
from common.values.environment import Environment
from common.values.messages import Message
from control.delivery.pacing.slot_match import AdShape, SlotShape, no_match_reason
from control.demand.campaigns.rules import is_budget_used_up
from control.demand.campaigns.schemas import DeliveryStatus
from control.outbox.requirements import campaign_requirements
from control.storage.tables.campaigns import CampaignRow

MAX_UNKNOWN_CAPS = 0.001
"""The share of look-ups without an answer that is normal."""


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """
    The facts besides a campaign's own row that decide whether it can deliver.

    ``property_statuses`` and ``slots``: of its properties. ``ads``: number of its ads by status; ``active_ads``: the
    distinct shapes of the active ones. ``counted``: valid events of its goal's kind.
    """

    account_state: str
    account_stopped: bool
    property_statuses: tuple[str, ...]
    spent_micros: int = 0
    spent_today_micros: int = 0
    counted: int = 0
    ads: Mapping[str, int] = field(default_factory=dict)
    active_ads: tuple[AdShape, ...] = ()
    slots: tuple[SlotShape, ...] = ()
    account_funded: bool = True
    address_verified: bool = True
    """Whether the account's address is verified."""
    cap_lookups: int = 0
    """For a campaign with a frequency cap: recent look-ups by edges of counts on its properties."""
    cap_lookups_unknown: int = 0
    """The number of those look-ups without an answer in time."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """
    ``reason`` is a code, a colon, and words that state what to do next. Its params hold the formats, sizes or features
    that it names. It is None while the campaign delivers, unless it delivers less than it could.
    """

    status: DeliveryStatus
    reason: Message | None = None


def delivery_of(
    row: CampaignRow,
    context: DeliveryContext,
    now: datetime,
    *,
    honoured: frozenset[str] = SUPPORTED,
) -> Delivery:
    """The first obstacle, the most final one first. *honoured*: the capabilities of the edges."""
    return (
        _finished(row, context, now)
        or _not_running(row)
        or _blocked(row, context)
        or _not_supported(row, honoured)
        or _without_ads(context, honoured)
        or _without_slot(context, honoured)
        or _scheduled(row, now)
        or _spent_today(row, context)
        or _caps_unknown(context)
        or Delivery(DeliveryStatus.DELIVERING)
    )


_NOT_RUNNING: dict[str, Message] = {
    CampaignStatus.DRAFT: Message("draft: activate the campaign"),
    CampaignStatus.PENDING_REVIEW: Message(
        "pending_review: an owner or admin of the account approves it"
    ),
    CampaignStatus.REJECTED: Message(
        "rejected: see review.reason, change the campaign and activate it again"
    ),
    CampaignStatus.PAUSED: Message("paused: resume the campaign"),
}
_ADS_WAITING: dict[str, str] = {
    AdStatus.PENDING_REVIEW: "an owner or admin of the account approves them",
    AdStatus.PAUSED: "resume one",
    AdStatus.DRAFT: "activate one",
    AdStatus.REJECTED: "see review.reason, change one and activate it again",
}
"""Statuses in order, those nearest to serving first."""


def _finished(row: CampaignRow, context: DeliveryContext, now: datetime) -> Delivery | None:
    if row.status == CampaignStatus.ARCHIVED:
        return _idle(Message("archived: it is over for good; clone it to run it again"))
    if is_budget_used_up(row, row.budget_total_cents, context.spent_micros):
        return Delivery(
            DeliveryStatus.BUDGET_EXHAUSTED,
            Message("budget_exhausted: raise budget.total_cents to go on"),
        )
    if row.goal is not None and context.counted >= row.goal["total"]:
        return Delivery(DeliveryStatus.ENDED, Message("goal_reached: raise goal.total to go on"))
    if row.status == CampaignStatus.COMPLETED or (row.end_at is not None and row.end_at <= now):
        return Delivery(DeliveryStatus.ENDED, Message("ended: set a later end_at to go on"))
    return None


def _not_running(row: CampaignRow) -> Delivery | None:
    reason = _NOT_RUNNING.get(row.status)
    return _idle(reason) if reason else None


def _blocked(row: CampaignRow, context: DeliveryContext) -> Delivery | None:
    """Obstacles that block everything of the account or of the properties."""
    reason = _account_reason(row, context) or _property_reason(row, context)
    return Delivery(DeliveryStatus.BLOCKED, reason) if reason else None


def _account_reason(row: CampaignRow, context: DeliveryContext) -> Message | None:
    """The only place for reasons of the account: its state, its emergency switch, its money."""
    if context.account_state not in (AccountState.ACTIVE, AccountState.PAST_DUE):
        return Message(
            "account_{state}: settle the account's subscription or billing",
            state=context.account_state,
        )
    if row.environment == Environment.LIVE and context.account_stopped:
        return Message("account_stopped: all live serving is switched off; resume the account")
    if row.environment == Environment.LIVE and not context.address_verified:
        return Message(
            "address_unverified: open the link in the mail to the account's owner, or have it sent again at "
            "POST /v1/auth/email-verification"
        )
    if row.environment == Environment.LIVE and not context.account_funded:
        return Message("no_funds: top up the wallet, or pay what is invoiced; see GET /v1/wallet")
    return None


def _property_reason(row: CampaignRow, context: DeliveryContext) -> Message | None:
    if row.environment != Environment.LIVE:
        return None
    if PropertyStatus.VERIFIED in context.property_statuses:
        return None
    if PropertyStatus.UNVERIFIED in context.property_statuses:
        return Message(
            "property_unverified: live traffic needs a verified property; verify its domain"
        )
    return Message("property_suspended: its properties are suspended; ask the operator")


def _not_supported(row: CampaignRow, honoured: frozenset[str]) -> Delivery | None:
    missing = unsupported(campaign_requirements(row), honoured)
    if not missing:
        return None
    return _idle(Message("not_supported_yet: {features}", features=", ".join(missing)))


def _without_ads(context: DeliveryContext, honoured: frozenset[str]) -> Delivery | None:
    if not context.active_ads:
        return Delivery(DeliveryStatus.NO_ADS, _ads_reason(context.ads))
    missing = [unsupported(ad.requires, honoured) for ad in context.active_ads]
    if not all(missing):
        return None
    names = sorted({name for group in missing for name in group})
    return _idle(
        Message("not_supported_yet: every ad asks for {features}", features=", ".join(names))
    )


def _ads_reason(ads: Mapping[str, int]) -> Message:
    """The reason for the ads that are nearest to serving."""
    for status, advice in _ADS_WAITING.items():
        count = ads.get(status, 0)
        if count:
            return Message(
                "ads_{status}: no ad is active, {count} of them {status}; {advice}",
                status=status,
                count=count,
                advice=advice,
            )
    return Message("no_ads: add an ad and activate it")


def _without_slot(context: DeliveryContext, honoured: frozenset[str]) -> Delivery | None:
    able = [ad for ad in context.active_ads if not unsupported(ad.requires, honoured)]
    reason = no_match_reason(able, context.slots)
    return _idle(reason) if reason else None


def _scheduled(row: CampaignRow, now: datetime) -> Delivery | None:
    if row.start_at is None or row.start_at <= now:
        return None
    return Delivery(DeliveryStatus.SCHEDULED, Message("scheduled: start_at lies ahead"))


def _spent_today(row: CampaignRow, context: DeliveryContext) -> Delivery | None:
    if row.pricing_model == PricingModel.FLAT_RATE:  # delivers all day for what the day is charged
        return None
    if not is_budget_used_up(row, row.budget_daily_cents, context.spent_today_micros):
        return None
    return Delivery(
        DeliveryStatus.BUDGET_EXHAUSTED_TODAY,
        Message(
            "budget_exhausted_today: goes on at midnight of {timezone}, or when budget.daily_cents is raised",
            timezone=row.timezone,
        ),
    )


def _caps_unknown(context: DeliveryContext) -> Delivery | None:
    """
    Reports a campaign whose cap look-ups failed more often than `MAX_UNKNOWN_CAPS`. It delivers, but not to the users
    of those look-ups.
    """
    unknown, lookups = context.cap_lookups_unknown, context.cap_lookups
    if unknown <= lookups * MAX_UNKNOWN_CAPS:
        return None
    return Delivery(
        DeliveryStatus.DELIVERING,
        Message(
            "caps_unknown: {unknown} of {lookups} look-ups of frequency caps in the last hours had no answer in time, "
            "and ads with a cap were not shown; ask the operator to check how fast Redis answers the edges, or remove "
            "frequency_caps",
            unknown=unknown,
            lookups=lookups,
        ),
    )


def _idle(reason: Message) -> Delivery:
    return Delivery(DeliveryStatus.NOT_DELIVERING, reason)
