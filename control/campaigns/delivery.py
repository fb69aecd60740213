"""Whether a campaign delivers now, and if not, why: pure, from what the control plane knows."""

from dataclasses import dataclass
from datetime import datetime

from common.decision.support import HONOURED, not_honoured
from common.environment import Environment
from common.money import cents_to_micros
from common.vocabulary import AccountState, CampaignStatus, PropertyStatus
from control.campaigns.rules import requires_of
from control.campaigns.schemas import DeliveryStatus
from control.tables.campaigns import CampaignRow


@dataclass(frozen=True, slots=True)
class Surroundings:
    """
    What of the world around a campaign decides whether it can deliver.

    ``property_statuses``: of its properties. ``active_ads``: for each kind of active ad, what it requires.
    """

    account_state: str
    account_stopped: bool
    property_statuses: tuple[str, ...]
    spent_micros: int
    active_ads: tuple[tuple[str, ...], ...]
    account_funded: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """``reason`` is a code, or a code, a colon and words; None while it delivers."""

    status: DeliveryStatus
    reason: str | None = None


def delivery_of(
    row: CampaignRow,
    around: Surroundings,
    now: datetime,
    *,
    honoured: frozenset[str] = HONOURED,
) -> Delivery:
    """The first thing that stands in the way, the most final one first. *honoured*: what edges can do."""
    return (
        _finished(row, around, now)
        or _not_running(row)
        or _blocked(row, around)
        or _not_supported(row, honoured)
        or _without_ads(around, honoured)
        or _scheduled(row, now)
        or Delivery(DeliveryStatus.DELIVERING)
    )


def _finished(row: CampaignRow, around: Surroundings, now: datetime) -> Delivery | None:
    if row.status == CampaignStatus.ARCHIVED:
        return Delivery(DeliveryStatus.NOT_DELIVERING, "archived")
    total = row.budget_total_cents
    if total is not None and around.spent_micros >= cents_to_micros(total):
        return Delivery(
            DeliveryStatus.BUDGET_EXHAUSTED, "budget_exhausted: raise budget.total_cents to go on"
        )
    if row.status == CampaignStatus.COMPLETED or (row.end_at is not None and row.end_at <= now):
        return Delivery(DeliveryStatus.ENDED, "ended: set a later end_at to go on")
    return None


def _not_running(row: CampaignRow) -> Delivery | None:
    reasons: dict[str, str] = {
        CampaignStatus.DRAFT: "draft: activate the campaign",
        CampaignStatus.PENDING_REVIEW: "pending_review",
        CampaignStatus.REJECTED: "rejected",
        CampaignStatus.PAUSED: "paused: resume the campaign",
    }
    reason = reasons.get(row.status)
    return Delivery(DeliveryStatus.NOT_DELIVERING, reason) if reason else None


def _blocked(row: CampaignRow, around: Surroundings) -> Delivery | None:
    if around.account_state not in (AccountState.ACTIVE, AccountState.PAST_DUE):
        return Delivery(DeliveryStatus.BLOCKED, f"account_{around.account_state}")
    if row.environment != Environment.LIVE:
        return None
    if around.account_stopped:
        return Delivery(DeliveryStatus.BLOCKED, "account_stopped: all live serving is switched off")
    if not around.account_funded:
        return Delivery(
            DeliveryStatus.BLOCKED,
            "no_funds: top up the wallet, or pay what is invoiced; see GET /v1/wallet",
        )
    if PropertyStatus.VERIFIED not in around.property_statuses:
        return Delivery(
            DeliveryStatus.BLOCKED, "property_unverified: live traffic needs a verified property"
        )
    return None


def _not_supported(row: CampaignRow, honoured: frozenset[str]) -> Delivery | None:
    missing = not_honoured(requires_of(row), honoured)
    if not missing:
        return None
    return Delivery(DeliveryStatus.NOT_DELIVERING, f"not_supported_yet: {', '.join(missing)}")


def _without_ads(around: Surroundings, honoured: frozenset[str]) -> Delivery | None:
    if not around.active_ads:
        return Delivery(DeliveryStatus.NO_ADS, "no_ads: add an ad and activate it")
    missing = [not_honoured(requires, honoured) for requires in around.active_ads]
    if not all(missing):
        return None
    names = sorted({name for group in missing for name in group})
    return Delivery(
        DeliveryStatus.NOT_DELIVERING, f"not_supported_yet: every ad asks for {', '.join(names)}"
    )


def _scheduled(row: CampaignRow, now: datetime) -> Delivery | None:
    if row.start_at is None or row.start_at <= now:
        return None
    return Delivery(DeliveryStatus.SCHEDULED, "scheduled: start_at lies ahead")
