"""
The gates that a candidate must pass, in order. Decisions, explanations and the slot index use only these.

Static gates follow from the snapshot alone and are evaluated once for each snapshot and slot. Fit gates depend on the
time and the request. A gate returns the reason for which it drops a candidate, or None.
"""

from collections.abc import Callable

from common.budget.local_day import is_known_zone
from common.decision.rules.ad_limits import duration_ms
from common.decision.rules.feature_support import unsupported
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import NoFillReason
from common.decision.rules.ranking import ecpm_micros
from common.decision.rules.targeting import missed_kind, names_slot, parse_targeting
from common.privacy.children import is_unfit_for_children
from common.snapshot.model import Ad, Campaign, Property, Slot
from common.snapshot.snapshot import Snapshot
from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
)

_SLOTS_KIND = '"slots"'
"""
A targeting without this text names no slots.
Most have none, and parsing them all takes seconds for a large property.
"""
SERVING_STATES = frozenset({AccountState.ACTIVE, AccountState.PAST_DUE})

StaticGate = Callable[[Snapshot, Slot, Campaign, Ad], NoFillReason | None]


def static_drop(
    snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad
) -> tuple[int, NoFillReason] | None:
    """
    Returns place and reason of the first gate that drops the candidate for as long as *snapshot* is current;
    else None.
    """
    for place, gate in enumerate(STATIC_GATES):
        reason = gate(snapshot, slot, campaign, ad)
        if reason is not None:
            return place, reason
    return None


def fit_drop(
    opportunity: Opportunity, now_ms: int, campaign: Campaign, ad: Ad
) -> tuple[int, NoFillReason] | None:
    """Returns place and reason of the first gate of time and request that drops a candidate, or None."""
    if not in_flight(campaign, now_ms):
        return OUT_OF_FLIGHT
    if opportunity.format is not None and ad.format is not opportunity.format:
        return WRONG_FORMAT
    if not fits_space(opportunity, ad):
        return WRONG_SIZE
    if opportunity.child_directed and is_unfit_for_children(ad):
        return UNFIT
    missed = [
        found
        for text in (campaign.targeting, ad.targeting)
        if text
        and (
            found := missed_kind(
                parse_targeting(text), opportunity.signals, campaign.timezone, now_ms
            )
        )
    ]
    return (KINDS_FROM + min(missed)[0], min(missed)[1]) if missed else None


def is_spent_by_event(campaign: Campaign) -> bool:
    """Whether its events use up a budget."""
    return campaign.budget is not None and campaign.pricing_model is not PricingModel.FLAT_RATE


def in_flight(campaign: Campaign, now_ms: int) -> bool:
    """The flight includes its start and excludes its end."""
    if campaign.start_at_ms is not None and now_ms < campaign.start_at_ms:
        return False
    return campaign.end_at_ms is None or now_ms < campaign.end_at_ms


def account_serves(snapshot: Snapshot, account_id: str) -> bool:
    """Whether the account may serve; its own stop switch affects only live traffic."""
    account = snapshot.accounts.get(account_id)
    if account is None or account.state not in SERVING_STATES:
        return False
    return snapshot.environment.is_test or not account.stopped


def size_fits_slot(slot: Slot, ad: Ad) -> bool:
    """A sized ad must have one of the slot's sizes, if the slot lists any."""
    if not slot.sizes or ad.width is None or ad.height is None:
        return True
    return any(size.width == ad.width and size.height == ad.height for size in slot.sizes)


def fits_space(opportunity: Opportunity, ad: Ad) -> bool:
    """A sized ad must not be larger than the room that the request reports."""
    space_w, space_h = opportunity.width, opportunity.height
    if space_w is not None and ad.width is not None and ad.width > space_w:
        return False
    return space_h is None or ad.height is None or ad.height <= space_h


def is_blocked_category(prop: Property, slot: Slot, ad: Ad) -> bool:
    """A blocked category also blocks its subcategories: `7` blocks `7-3`."""
    blocked = (*prop.blocked_categories, *slot.blocked_categories)
    return any(
        category == block or category.startswith(f"{block}-")
        for category in ad.categories
        for block in blocked
    )


def advertiser_host(ad: Ad) -> str | None:
    """Returns the host of the ad's URL, to which a click leads. The URL is stored as ``https://HOST/…``."""
    if ad.click_url is None:
        return ad.advertiser_domain
    return ad.click_url.partition("://")[2].partition("/")[0].partition(":")[0]


def is_blocked_advertiser(slot: Slot, ad: Ad) -> bool:
    """A blocked domain blocks ads that lead to it or to a subdomain, and ads whose advertiser has that domain."""
    if not slot.blocked_advertiser_domains:
        return False
    names = (advertiser_host(ad), ad.advertiser_domain)
    return any(
        name is not None and (name == block or name.endswith(f".{block}"))
        for name in names
        for block in slot.blocked_advertiser_domains
    )


def slot_excludes(snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad) -> bool:
    """Whether blocks of the slot or its property, or the slot's longest break, exclude *ad*, even as its house ad."""
    return any(gate(snapshot, slot, campaign, ad) is not None for gate in (_duration, _blocks))


def _account(snapshot: Snapshot, _slot: Slot, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    serves = account_serves(snapshot, campaign.account_id)
    return None if serves else NoFillReason.ACCOUNT_STOPPED


def _funds(snapshot: Snapshot, _slot: Slot, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    """Test campaigns are free. A slot's own house ad is free too, and is no candidate."""
    paid = snapshot.environment.is_test or snapshot.accounts[campaign.account_id].funded
    return None if paid else NoFillReason.NO_FUNDS


def _campaign(_snapshot: Snapshot, _slot: Slot, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    active = campaign.status is CampaignStatus.ACTIVE
    return None if active else NoFillReason.CAMPAIGN_NOT_ACTIVE


def _ad(_snapshot: Snapshot, _slot: Slot, _campaign: Campaign, ad: Ad) -> NoFillReason | None:
    return None if ad.status is AdStatus.ACTIVE else NoFillReason.AD_NOT_ACTIVE


def _support(_snapshot: Snapshot, _slot: Slot, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    """A time zone that this machine does not have is a feature that it lacks."""
    lacking = unsupported(campaign.requires) or unsupported(ad.requires)
    supported = not lacking and is_known_zone(campaign.timezone)
    return None if supported else NoFillReason.NOT_SUPPORTED_YET


def _budget(_snapshot: Snapshot, _slot: Slot, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    return NoFillReason.BUDGET_SPENT if campaign.spent else None


def _targeted(_snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    is_targeted = (not ad.slot_ids or slot.id in ad.slot_ids) and all(
        names_slot(parse_targeting(text), slot.id)
        for text in (campaign.targeting, ad.targeting)
        if _SLOTS_KIND in text
    )
    return None if is_targeted else NoFillReason.SLOT_NOT_TARGETED


def _format(_snapshot: Snapshot, slot: Slot, _campaign: Campaign, ad: Ad) -> NoFillReason | None:
    return None if ad.format in slot.formats else NoFillReason.FORMAT_MISMATCH


def _size(_snapshot: Snapshot, slot: Slot, _campaign: Campaign, ad: Ad) -> NoFillReason | None:
    return None if size_fits_slot(slot, ad) else NoFillReason.SIZE_MISMATCH


def _duration(_snapshot: Snapshot, slot: Slot, _campaign: Campaign, ad: Ad) -> NoFillReason | None:
    """An audio ad must not be longer than a break of its slot may be; one of unknown length is."""
    if slot.audio is None or ad.format is not Format.AUDIO:
        return None
    length_ms = duration_ms(ad)
    fits = length_ms is not None and length_ms <= slot.audio.max_duration_ms
    return None if fits else NoFillReason.DURATION_MISMATCH


def _blocks(snapshot: Snapshot, slot: Slot, _campaign: Campaign, ad: Ad) -> NoFillReason | None:
    prop = snapshot.properties[slot.property_id]
    if ad.id in prop.blocked_ad_ids:
        return NoFillReason.BLOCKED_AD
    if is_blocked_advertiser(slot, ad):
        return NoFillReason.BLOCKED_ADVERTISER
    if is_blocked_category(prop, slot, ad):
        return NoFillReason.BLOCKED_CATEGORY
    return None


def _floor(snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    """The floor applies only to bids. A sponsorship, a direct deal and a flat rate have an agreed price."""
    if not slot.floor_micros or campaign.priority is not Priority.AUCTION or _is_flat(campaign):
        return None
    return (
        NoFillReason.BELOW_FLOOR
        if _value(snapshot, slot, campaign, ad) < slot.floor_micros
        else None
    )


def _is_flat(campaign: Campaign) -> bool:
    return campaign.pricing_model is PricingModel.FLAT_RATE


def _value(snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad) -> int:
    return ecpm_micros(campaign, ad, snapshot.rates.get(ad.id), slot.id)


GATES_ANYWHERE: tuple[StaticGate, ...] = (_account, _funds, _campaign, _ad, _support, _budget)
"""Gates with the same result in every slot of a property."""
GATES_BY_SLOT: tuple[StaticGate, ...] = (_targeted, _format, _size, _duration, _blocks)
STATIC_GATES: tuple[StaticGate, ...] = (*GATES_ANYWHERE, *GATES_BY_SLOT, _floor)

BELOW_FLOOR = (len(STATIC_GATES) - 1, NoFillReason.BELOW_FLOOR)
# Gates of time and request come after the static ones, in this order; the kinds of targeting come last.
OUT_OF_FLIGHT = (len(STATIC_GATES), NoFillReason.OUT_OF_FLIGHT)
WRONG_FORMAT = (len(STATIC_GATES) + 1, NoFillReason.FORMAT_MISMATCH)
WRONG_SIZE = (len(STATIC_GATES) + 2, NoFillReason.SIZE_MISMATCH)
UNFIT = (len(STATIC_GATES) + 3, NoFillReason.UNFIT_FOR_CHILDREN)
KINDS_FROM = len(STATIC_GATES) + 4
