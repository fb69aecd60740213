"""
Why a campaign is not shown, in the user's words, and where to change it.

Covers the delivery reasons of the API and each gate of a decision. English, and in the catalogues.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from common.decision.rules.outcome import NoFillReason as Why
from common.values.messages import Message, Param
from control.dashboard.targeting.controls import CONTROLS


@dataclass(frozen=True, slots=True)
class Reason:
    """``remedy``: what to do, as the text of a link to *screen*, at the field or part called *anchor*."""

    text: str
    remedy: str = ""
    screen: str = ""
    anchor: str = ""


def _edit(text: str, remedy: str, field: str) -> Reason:
    return Reason(text, remedy, "campaign_edit", f"f-{field}")


def _here(text: str, remedy: str, anchor: str) -> Reason:
    return Reason(text, remedy, "campaign", anchor)


DELIVERY: dict[str, Reason] = {
    "draft": _here("It is a draft that has not been activated yet.", "Activate", "acts"),
    "pending_review": _here(
        "It is waiting for review by an owner or admin of the account.", "See the review", "review"
    ),
    "rejected": _edit(
        "It was rejected in review for the reason above.",
        "Edit the campaign, then activate it again",
        "name",
    ),
    "paused": _here("It is paused.", "Resume it", "acts"),
    "archived": _here("It is archived permanently.", "Clone it to run it again", "acts"),
    "budget_exhausted": _edit(
        "Its whole budget is spent.", "Raise the total budget", "budget.total_cents"
    ),
    "budget_exhausted_today": _edit(
        "Today's budget is spent. Delivery resumes at midnight in the campaign's time zone.",
        "Raise the daily budget",
        "budget.daily_cents",
    ),
    "goal_reached": _edit("It reached its goal.", "Raise the goal", "goal.total"),
    "ended": _edit("Its flight is over.", "Set a later end", "end_at"),
    "scheduled": _edit("Its flight has not started yet.", "Set an earlier start", "start_at"),
    "account_suspended": Reason(
        "The account is suspended: an invoice is unpaid, or the subscription has ended.",
        "Pay what is due",
        "billing",
    ),
    "account_stopped": Reason(
        "Live serving is stopped for the whole account.", "Resume live serving", "account"
    ),
    "address_unverified": Reason(
        "Live ads are served only after the account's email address is verified.",
        "Verify the address",
        "profile",
    ),
    "no_funds": Reason(
        "The account cannot pay: its wallet is empty, or its credit is used up.",
        "Top up the wallet",
        "wallet",
    ),
    "property_unverified": Reason(
        "Live ads need a verified property, and none of its properties is verified.",
        "Verify the property",
        "property_list",
    ),
    "property_suspended": Reason(
        "The operator suspended its properties.", "View properties", "property_list"
    ),
    "not_supported_yet": _edit(
        "It uses a feature that this release does not support.", "Remove that feature", "name"
    ),
    "no_ads": _here("It has no ad.", "Add an ad", "ads"),
    "ads_pending_review": _here("Its ads are waiting for review.", "View ads", "ads"),
    "ads_paused": _here("All of its ads are paused.", "Resume an ad", "ads"),
    "ads_draft": _here("Its ads are drafts.", "Activate an ad", "ads"),
    "ads_rejected": _here("Its ads were rejected in review.", "Change an ad", "ads"),
    "no_slots": Reason("Its properties have no slots.", "Create a slot", "property_list"),
    "slots_archived": Reason("All slots for its ads are archived.", "View slots", "property_list"),
    "no_slot_for_format": Reason(
        "No slot allows the format of its ads.", "View slots", "property_list"
    ),
    "no_slot_for_size": Reason(
        "No slot allows the size of its ads.", "View slots", "property_list"
    ),
    "caps_unknown": _edit(
        (
            "It is shown less often than possible: for some visitors, edges could not read the frequency count in time "
            "and showed other ads. The operator should check Redis latency. Without a frequency cap, no count is "
            "needed."
        ),
        "Remove the frequency cap",
        "frequency_caps.0.limit",
    ),
}
"""By the code of `delivery_reason`."""

GATES: dict[Why, Reason] = {
    Why.NO_CANDIDATE: _here("No eligible ad for this slot.", "Add an ad", "ads"),
    Why.ACCOUNT_STOPPED: DELIVERY["account_stopped"],
    Why.NO_FUNDS: DELIVERY["no_funds"],
    Why.DEMO_NEVER_FILLS: Reason("This is the demo slot that never fills."),
    Why.SLOT_ARCHIVED: Reason("The slot is archived.", "View slots", "property_list"),
    Why.STALE_SNAPSHOT: Reason(
        "An edge's snapshot was too old, so it stopped serving. The operator is responsible for this."
    ),
    Why.SPOOL_FULL: Reason(
        "An edge's event buffer was full, so it served no paid ads. The operator is responsible for this."
    ),
    Why.CAMPAIGN_NOT_ACTIVE: _here("The campaign was not active.", "Activate", "acts"),
    Why.AD_NOT_ACTIVE: _here("The ad was not active.", "View ads", "ads"),
    Why.OUT_OF_FLIGHT: _edit(
        "The campaign had not started, or had ended.", "Change the flight", "start_at"
    ),
    Why.NOT_SUPPORTED_YET: DELIVERY["not_supported_yet"],
    Why.BUDGET_SPENT: _edit(
        "The daily or total budget was spent, or the rest was reserved elsewhere.",
        "Raise the budget",
        "budget.daily_cents",
    ),
    Why.FORMAT_MISMATCH: _here(
        "The slot does not allow the ad's format.", "Add an ad of that format", "ads"
    ),
    Why.SIZE_MISMATCH: _here(
        "The ad's size did not fit the slot.", "Add an ad of that size", "ads"
    ),
    Why.SLOT_NOT_TARGETED: _edit(
        "The campaign or ad does not target this slot.",
        "Change the slots",
        "targeting.slots.include",
    ),
    Why.BLOCKED_ADVERTISER: Reason(
        "The slot blocks this advertiser.", "View slots", "property_list"
    ),
    Why.BLOCKED_CATEGORY: Reason(
        "The slot or the property blocks a category of the ad.",
        "View the property",
        "property_list",
    ),
    Why.BLOCKED_AD: Reason("The property blocks this ad.", "View the property", "property_list"),
    Why.BELOW_FLOOR: _edit(
        "The ad was expected to bring less than the slot's floor.", "Raise the bid", "bid_cents"
    ),
    **{kind.reason: _edit(kind.mismatch, kind.remedy, kind.anchor) for kind in CONTROLS},
    Why.UNFIT_FOR_CHILDREN: Reason(
        "The page is directed at children, and the ad's category is unsuitable for them."
    ),
    Why.ADVERTISER_ALREADY_SHOWN: Reason("Another slot of the page showed this advertiser."),
    Why.CATEGORY_ALREADY_SHOWN: Reason("The ad break showed another ad of this category."),
    Why.DURATION_MISMATCH: Reason("The ad is longer than what is left of the ad break."),
    Why.SHARE_OF_VOICE: _edit(
        "Sponsorships reserve shares of the slot, and this request fell into no sponsor's share.",
        "Change the share of voice",
        "share_of_voice_percent",
    ),
    Why.GOAL_REACHED: DELIVERY["goal_reached"],
    Why.PACED: _edit(
        "Pacing held it back, so that the budget lasts until its end.",
        "Change the pacing",
        "pacing",
    ),
    Why.FREQUENCY_CAPPED: _edit(
        "The visitor had reached the frequency cap.",
        "Change the cap",
        "frequency_caps.0.limit",
    ),
    Why.CAP_NOT_KNOWN: _edit(
        "It has a frequency cap, and the visitor's count was unknown.",
        "Change the cap",
        "frequency_caps.0.limit",
    ),
}


def reason_of(delivery_reason: Message) -> tuple[Reason, str]:
    """
    The reason, and details if the API gives some: which formats, which sizes, which features.

    An unknown code is shown in the API's words alone.
    """
    code = delivery_reason.partition(": ")[0]
    found = DELIVERY.get(code)
    if found is None:
        return Reason(delivery_reason), ""
    return found, _detail_of(code, delivery_reason.params)


def _detail_of(code: str, params: Mapping[str, Param]) -> str:
    match code:
        case "not_supported_yet":
            return str(params["features"])
        case "no_slot_for_format":
            return Message(
                "Its ads are {ad_formats}, and its slots accept {slot_formats}.",
                ad_formats=params["ad_formats"],
                slot_formats=params["slot_formats"],
            )
        case "no_slot_for_size":
            sizes = str(params["sizes"]).replace("x", " × ")
            return Message("No slot accepts {sizes}.", sizes=sizes)
        case _:
            return ""


def missed_reason(reason: str, *, has_active_ad: bool) -> Reason:
    """
    Why nothing was shown in the last day. A campaign that has an active ad needs no other one: its slots were empty
    before that ad was active, or the ad does not run there.
    """
    found = gate_of(reason)
    if has_active_ad and reason == Why.NO_CANDIDATE:
        return Reason(found.text)
    return found


def gate_of(reason: str) -> Reason:
    return GATES[Why(reason)] if reason in GATES else Reason(reason)
