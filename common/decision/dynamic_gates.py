"""The last gates, for a candidate that matches and would win. They check deliveries, budget and frequency caps."""

from functools import lru_cache

from common.budget.local_day import local_day
from common.budget.remaining import left_micros
from common.decision.decision_input import DecisionInput
from common.decision.frequency import capped
from common.decision.rules.ad_limits import is_wrapper
from common.decision.rules.chance import salt_of, splitmix64
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import NoFillReason
from common.decision.rules.ranking import ecpm_micros
from common.decision.rules.share_of_voice import has_share
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot
from common.values.enums import Priority

PPM = 1_000_000
FIRST_PLACE = 100
"""Places of these gates follow those of every gate in `common.decision.rules.eligibility`."""
_SPOOL = (FIRST_PLACE, NoFillReason.SPOOL_FULL)
_ADVERTISER = (FIRST_PLACE + 1, NoFillReason.ADVERTISER_ALREADY_SHOWN)
_LIMITS_PLACE = FIRST_PLACE + 1
_NO_WRAPPER = (_LIMITS_PLACE, NoFillReason.FORMAT_MISMATCH)
_SHARE = (FIRST_PLACE + 2, NoFillReason.SHARE_OF_VOICE)
_GOAL = (FIRST_PLACE + 3, NoFillReason.GOAL_REACHED)
_BUDGET = (FIRST_PLACE + 4, NoFillReason.BUDGET_SPENT)
_PACED = (FIRST_PLACE + 5, NoFillReason.PACED)
_CAPS_PLACE = FIRST_PLACE + 6
salt_of_campaign = lru_cache(maxsize=65_536)(salt_of)
"""Salt of the throttle draw, by the campaign's id."""


def dynamic_drop(  # noqa: PLR0911 - one a gate
    decision_input: DecisionInput, campaign: Campaign, ad: Ad
) -> tuple[int, NoFillReason] | None:
    """
    Returns place and reason of the first gate that drops the candidate; None where it may be shown.

    The gates, in order: the spool has room (an event that cannot be stored is never paid, so house ads pass); no
    advertiser twice in a call, except the sponsor of the roadblock; the limits of the output and the ad break; the
    sponsor's share of voice; the campaign's goal; its budget; the throttle that makes it last; the frequency caps of
    this person.
    """
    opportunity = decision_input.opportunity
    if decision_input.gates.spool_full and campaign.priority is not Priority.HOUSE:
        return _SPOOL
    if (
        ad.advertiser_domain in opportunity.shown_advertisers
        and campaign.id != opportunity.roadblock_id
    ):
        return _ADVERTISER
    if opportunity.limits is not None or ad.requires:
        drop = _limits_drop(opportunity, campaign, ad)
        if drop is not None:
            return drop
    if has_share(campaign) and decision_input.share_holder != campaign.id:
        return _SHARE
    pace = decision_input.snapshot.paces.get(campaign.id)
    if campaign.goal is not None and pace is not None and pace.counted >= campaign.goal.total:
        return _GOAL
    if is_spent_by_event(campaign):
        drop = _budget_drop(decision_input, campaign, ad)
        if drop is not None:
            return drop
    if pace is not None and not passes_throttle(pace.pass_ppm, campaign.id, decision_input.seed):
        return _PACED
    reason = capped(campaign, ad, decision_input.gates.counts) if campaign.frequency_caps else None
    return None if reason is None else (_CAPS_PLACE, reason)


def _limits_drop(
    opportunity: Opportunity, campaign: Campaign, ad: Ad
) -> tuple[int, NoFillReason] | None:
    limits = opportunity.limits
    if limits is None:
        return _NO_WRAPPER if is_wrapper(ad) else None
    reason = limits.drop(campaign, ad)
    return None if reason is None else (_LIMITS_PLACE, reason)


def expected_micros(snapshot: Snapshot, slot_id: str, campaign: Campaign, ad: Ad) -> int:
    """
    Returns the expected cost of showing *ad* once, at least 1. It is the price of an impression (cpm), or that of a
    click or conversion times its predicted rate. A fill commits this amount of a budget until its result is known.
    """
    return max(1, ecpm_micros(campaign, ad, snapshot.rates.get(ad.id), slot_id) // 1000)


def _budget_drop(
    decision_input: DecisionInput, campaign: Campaign, ad: Ad
) -> tuple[int, NoFillReason] | None:
    """
    Test traffic spends nothing, and a flat rate is charged by the day, whatever is shown. A lease can be empty while
    budget is left: then the campaign is paced, and its plan grants more later.
    """
    snapshot, gates = decision_input.snapshot, decision_input.gates
    if snapshot.environment.is_test:
        return None
    still_open = gates.available_micros.get(campaign.id, 0)
    if still_open < 0:
        decision_input.unknown_budgets += 1
    expected = expected_micros(snapshot, decision_input.opportunity.slot.id, campaign, ad)
    if still_open < expected:
        return _PACED if _waits(decision_input, campaign, expected) else _BUDGET
    pass_rate_ppm = gates.pass_rates.get(campaign.id, PPM)
    return None if passes_throttle(pass_rate_ppm, campaign.id, decision_input.seed) else _PACED


def _waits(decision_input: DecisionInput, campaign: Campaign, expected: int) -> bool:
    """Whether the ledger shows budget left, in total and today. A campaign with a goal and no amount always waits."""
    if campaign.budget is None:
        return False
    if campaign.budget.total_micros is None and campaign.budget.daily_micros is None:
        return True
    day = local_day(campaign.timezone, decision_input.now_ms).name
    pace = decision_input.snapshot.paces.get(campaign.id)
    return left_micros(campaign.budget, pace, day) >= expected


def passes_throttle(pass_rate_ppm: int, campaign_id: str, seed: int) -> bool:
    """
    The throttle draw: whether a campaign that could win takes this opportunity, or waits so that its budget lasts.

    True for *pass_rate_ppm* of a million seeds; the result is the same on every call.
    """
    return (
        pass_rate_ppm >= PPM
        or splitmix64(seed, salt_of_campaign(campaign_id)) % PPM < pass_rate_ppm
    )
