"""The gates that come last, for a candidate that fits and would win: what was delivered, paid and seen decides."""

from collections.abc import Callable

from common.decision.frequency import capped
from common.decision.outcome import NoFillReason
from common.decision.pacing import lets_pass
from common.decision.question import Question
from common.decision.ranking import ecpm_micros
from common.decision.shares import has_share
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot
from common.vocabulary import PricingModel, Priority

LastGate = Callable[[Question, Campaign, Ad], NoFillReason | None]
FIRST_PLACE = 100
"""Behind every gate of `common.decision.eligibility`."""


def drop_at_last(question: Question, campaign: Campaign, ad: Ad) -> tuple[int, NoFillReason] | None:
    """Place and reason of the first of `LAST_GATES` that drops the candidate; None where it may be shown."""
    for place, gate in enumerate(LAST_GATES, FIRST_PLACE):
        reason = gate(question, campaign, ad)
        if reason is not None:
            return place, reason
    return None


def is_spent_by_event(campaign: Campaign) -> bool:
    """Whether what it shows uses up a budget of it."""
    return campaign.budget is not None and campaign.pricing_model is not PricingModel.FLAT_RATE


def expected_micros(snapshot: Snapshot, slot_id: str, campaign: Campaign, ad: Ad) -> int:
    """
    What showing *ad* once is expected to cost, at least 1: the price of an impression (cpm), or that of a click or
    conversion times its predicted rate. This is what a fill commits of a budget until it is known what came of it.
    """
    return max(1, ecpm_micros(campaign, ad, snapshot.rates.get(ad.id), slot_id) // 1000)


def _spool(question: Question, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    """An event that could not be kept could not be paid."""
    held = question.gates.spool_full and campaign.priority is not Priority.HOUSE
    return NoFillReason.SPOOL_FULL if held else None


def _advertiser(question: Question, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    """Never one advertiser twice in a call, but for the sponsor whose roadblock it is."""
    asked = question.opportunity
    if ad.advertiser_domain not in asked.shown_advertisers or campaign.id == asked.roadblock_id:
        return None
    return NoFillReason.ADVERTISER_ALREADY_SHOWN


def _share(question: Question, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    """A sponsor with a share has the opportunities that fall on it, and no others."""
    if not has_share(campaign) or question.share_holder == campaign.id:
        return None
    return NoFillReason.SHARE_OF_VOICE


def _goal(question: Question, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    pace = question.snapshot.paces.get(campaign.id)
    if campaign.goal is None or pace is None or pace.counted < campaign.goal.total:
        return None
    return NoFillReason.GOAL_REACHED


def _budget(question: Question, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    """Test traffic spends nothing, and a flat rate is charged by the day, whatever is shown."""
    if not is_spent_by_event(campaign) or question.snapshot.environment.is_test:
        return None
    still_open = question.gates.open_micros.get(campaign.id, 0)
    slot_id = question.opportunity.slot.id
    is_open = still_open >= expected_micros(question.snapshot, slot_id, campaign, ad)
    return None if is_open else NoFillReason.BUDGET_SPENT


def _pace(question: Question, campaign: Campaign, _ad: Ad) -> NoFillReason | None:
    pace = question.snapshot.paces.get(campaign.id)
    passes = pace is None or lets_pass(pace.pass_ppm, campaign.id, question.seed)
    return None if passes else NoFillReason.PACED


def _caps(question: Question, campaign: Campaign, ad: Ad) -> NoFillReason | None:
    return capped(campaign, ad, question.gates.counts) if campaign.frequency_caps else None


LAST_GATES: tuple[LastGate, ...] = (_spool, _advertiser, _share, _goal, _budget, _pace, _caps)
