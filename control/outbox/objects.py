"""
Converts rows to the objects of edges, with one pure function a type. None: the object is not part of the snapshot.

Former objects stay as long as requests may need them. A revoked key must be distinguished from an unknown one, and
clicks on an ad that was ever active must find their destination.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from common.budget.remaining import is_used_up, least_charge_micros
from common.pacing.flight import leases_goal
from common.snapshot.codec import canonical_json
from common.snapshot.model import (
    Account,
    Ad,
    AudioLimits,
    Budget,
    Campaign,
    FrequencyCap,
    Goal,
    Key,
    Property,
    RateLimits,
    SigningSecret,
    Size,
    Slot,
)
from common.values.clock import to_ms
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
from common.values.money import cents_to_micros, cpm_price_micros
from control.outbox.requirements import ad_requirements, campaign_requirements
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import KeyRow, PropertyRow, SlotRow

TOMBSTONE_RETENTION = timedelta(days=90)
"""How long a revoked or expired key is kept as a tombstone."""
CLICK_RETENTION = timedelta(days=400)
"""How long the ads of an archived campaign keep their click destination."""

_SECONDS_OF = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_KEYS_OF_EDGES = frozenset({KeyKind.PUBLISHABLE, KeyKind.SECRET})
_TRAVELLING_CAMPAIGNS = frozenset(
    {CampaignStatus.ACTIVE, CampaignStatus.PAUSED, CampaignStatus.COMPLETED}
)
_TRAVELLING_ADS = frozenset({AdStatus.ACTIVE, AdStatus.PAUSED})
_TRAVELLING_IN_TEST = frozenset({CampaignStatus.DRAFT, AdStatus.DRAFT})
"""
Drafts in test, for `preview_ad`. Live drafts are not sent, because a preview's click would lead to an unapproved
destination. In test nothing is reviewed.
"""


def account_of(row: AccountRow) -> Account:
    return Account(row.id, AccountState(row.state), row.stopped, row.funded)


def property_of(
    row: PropertyRow,
    currency: str,
    secrets: tuple[SigningSecret, ...],
    *,
    address_verified: bool = True,
) -> Property:
    """
    *address_verified*: whether the account's address is. Until then, edges get a verified property as unverified: they
    refuse its live keys without a check of their own.
    """
    status = PropertyStatus(row.status)
    if status is PropertyStatus.VERIFIED and not address_verified:
        status = PropertyStatus.UNVERIFIED
    return Property(
        id=row.id,
        account_id=row.account_id,
        kind=row.kind,
        domain=row.domain,
        bundle_id=row.bundle_id,
        status=status,
        timezone=row.timezone,
        currency=currency,
        allowed_origins=tuple(row.allowed_origins),
        excluded_ip_ranges=tuple(row.excluded_ip_ranges),
        consent_policy=row.consent_policy,
        token_ttl_seconds=row.token_ttl_seconds,
        rate_limits=RateLimits(**row.rate_limits),
        blocked_categories=tuple(row.blocked_categories),
        blocked_ad_ids=tuple(row.blocked_ad_ids),
        secrets=secrets,
        server_rendering=row.server_rendering,
        sdk=canonical_json(row.sdk) if any(row.sdk.values()) else "",
    )


def slot_of(row: SlotRow) -> Slot:
    return Slot(
        id=row.id,
        property_id=row.property_id,
        key=row.key,
        formats=tuple(Format(name) for name in row.formats),
        sizes=tuple(Size(size["width"], size["height"]) for size in row.sizes),
        floor_micros=cents_to_micros(row.floor_cents),
        refresh_seconds=row.refresh_seconds,
        house_ad_id=row.house_ad_id,
        blocked_advertiser_domains=tuple(row.blocked_advertiser_domains),
        blocked_categories=tuple(row.blocked_categories),
        status=SlotStatus(row.status),
        separate_categories=row.separate_categories,
        audio=AudioLimits(**row.audio) if row.audio else None,
    )


def key_of(row: KeyRow, now: datetime) -> Key | None:
    ends = [at for at in (row.revoked_at, row.expires_at) if at is not None]
    forgotten = bool(ends) and min(ends) + TOMBSTONE_RETENTION <= now
    if row.kind not in _KEYS_OF_EDGES or forgotten:
        return None
    return Key(
        id=row.id,
        hash=row.hash.hex(),
        kind=KeyKind(row.kind),
        environment=Environment(row.environment),
        property_id=row.property_id,
        account_id=row.account_id,
        revoked_at_ms=_ms(row.revoked_at),
        expires_at_ms=_ms(row.expires_at),
    )


def campaign_of(row: CampaignRow, spent_micros: int) -> Campaign | None:
    """*spent_micros*: what the ledger has charged so far."""
    status, environment = CampaignStatus(row.status), Environment(row.environment)
    if status not in _TRAVELLING_CAMPAIGNS and not _is_draft_of_test(status, environment):
        return None
    model = PricingModel(row.pricing_model)
    total = row.budget_total_cents
    return Campaign(
        id=row.id,
        account_id=row.account_id,
        property_ids=tuple(dict.fromkeys(row.property_ids)),
        environment=environment,
        status=status,
        priority=Priority(row.priority),
        pricing_model=model,
        bid_micros=price_micros(model, row.bid_cents),
        start_at_ms=_ms(row.start_at),
        end_at_ms=_ms(row.end_at),
        timezone=row.timezone,
        requires=campaign_requirements(row),
        spent=total is not None
        and is_used_up(
            cents_to_micros(total),
            spent_micros,
            least_charge_micros(environment, model, row.bid_cents),
        ),
        objective=Objective(row.objective),
        targeting=_targeting(row.targeting),
        budget=_budget(row),
        goal=_goal(row.goal),
        frequency_caps=tuple(_cap(cap) for cap in row.frequency_caps),
        share_of_voice_percent=row.share_of_voice_percent,
    )


def is_purged(campaign_status: str, updated_at: datetime, now: datetime) -> bool:
    """Whether a campaign was archived so long ago that its ads are no longer clicked."""
    return campaign_status == CampaignStatus.ARCHIVED and updated_at + CLICK_RETENTION <= now


def ad_of(row: AdRow, *, before: Ad | None, campaign_forgotten: bool) -> Ad | None:
    """
    *before*: the ad as edges hold it.
    An ad that may not run is sent in the form they hold, with its new status: clicks on ads already shown must not lead
    to an unapproved destination. A draft was shown only in previews, so it is removed.
    """
    status, environment = AdStatus(row.status), Environment(row.environment)
    if campaign_forgotten:
        return None
    if status not in _TRAVELLING_ADS and not _is_draft_of_test(status, environment):
        if before is None or before.status is AdStatus.DRAFT:
            return None
        return replace(before, status=status)
    return Ad(
        id=row.id,
        campaign_id=row.campaign_id,
        environment=environment,
        name=row.name,
        format=Format(row.format),
        width=row.content.get("width"),
        height=row.content.get("height"),
        content=canonical_json(row.content),
        categories=tuple(row.categories),
        click_url=row.click_url,
        advertiser_domain=row.advertiser_domain,
        impression_trackers=tuple(row.tracking.get("impression_urls", ())),
        click_trackers=tuple(row.tracking.get("click_urls", ())),
        weight=row.weight,
        slot_ids=tuple(row.slot_ids),
        status=status,
        requires=ad_requirements(row),
        targeting=_targeting(row.targeting),
    )


def _is_draft_of_test(status: CampaignStatus | AdStatus, environment: Environment) -> bool:
    return environment.is_test and status in _TRAVELLING_IN_TEST


def _targeting(stored: dict[str, Any]) -> str:
    return canonical_json(stored) if stored else ""


def _budget(row: CampaignRow) -> Budget | None:
    total_cents, daily_cents = row.budget_total_cents, row.budget_daily_cents
    has_leased_goal = row.goal is not None and leases_goal(
        Priority(row.priority), PricingModel(row.pricing_model)
    )
    if total_cents is None and daily_cents is None and not has_leased_goal:
        return None
    return Budget(
        None if total_cents is None else cents_to_micros(total_cents),
        None if daily_cents is None else cents_to_micros(daily_cents),
    )


_KIND_OF_GOAL = {f"{kind}s": kind for kind in EventKind}


def _goal(stored: dict[str, Any] | None) -> Goal | None:
    return None if stored is None else Goal(_KIND_OF_GOAL[stored["kind"]], stored["total"])


def _cap(cap: dict[str, Any]) -> FrequencyCap:
    window = cap["window"]
    return FrequencyCap(
        cap["scope"],
        EventKind(cap["event"]),
        cap["limit"],
        window["interval"] * _SECONDS_OF[window["unit"]],
    )


def price_micros(model: PricingModel, bid_cents: int) -> int:
    """Returns the price of one billable event. A flat rate is charged by day, not by event."""
    match model:
        case PricingModel.CPM:
            return cpm_price_micros(bid_cents)
        case PricingModel.CPC | PricingModel.CPA:
            return cents_to_micros(bid_cents)
        case PricingModel.FLAT_RATE:
            return 0


def _ms(instant: datetime | None) -> int | None:
    return None if instant is None else to_ms(instant)
