"""
Why a campaign is not shown, in the user's words, and where to change it.

Covers the delivery reasons of the API and each gate of a decision. English, and in the catalogues.
"""

from dataclasses import dataclass

from common.decision.rules.outcome import NoFillReason as Why


@dataclass(frozen=True, slots=True)
class Reason:
    """``remedy``: what to do, as the text of a link to *screen*, at the field or part called *anchor*."""

    said: str
    remedy: str = ""
    screen: str = ""
    anchor: str = ""


def _edit(said: str, remedy: str, field: str) -> Reason:
    return Reason(said, remedy, "campaign_edit", f"f-{field}")


def _here(said: str, remedy: str, anchor: str) -> Reason:
    return Reason(said, remedy, "campaign", anchor)


DELIVERY: dict[str, Reason] = {
    "draft": _here("It is a draft: nobody has activated it yet.", "Activate it", "acts"),
    "pending_review": _here(
        "It waits for review: an owner or admin of the account decides.", "See the review", "review"
    ),
    "rejected": _edit(
        "It was rejected in review; the reviewer's reason stands above.",
        "Change it, then activate it again",
        "name",
    ),
    "paused": _here("Somebody paused it.", "Resume it", "acts"),
    "archived": _here("It is archived, which is for good.", "Clone it to run it once more", "acts"),
    "budget_exhausted": _edit(
        "Its whole budget is spent.", "Raise the total budget", "budget.total_cents"
    ),
    "budget_exhausted_today": _edit(
        "Today's budget is spent; it goes on at midnight of its own time zone.",
        "Raise the daily budget",
        "budget.daily_cents",
    ),
    "goal_reached": _edit("It reached its goal.", "Raise the goal", "goal.total"),
    "ended": _edit("Its flight is over.", "Set a later end", "end_at"),
    "scheduled": _edit("Its flight has not begun yet.", "Set an earlier start", "start_at"),
    "account_suspended": Reason(
        "The account is suspended: a bill or the subscription is not settled.",
        "Settle the account",
        "billing",
    ),
    "account_stopped": Reason(
        "All live serving of the account is switched off.", "Switch it on again", "account"
    ),
    "address_unverified": Reason(
        "Nothing serves live until the account's e-mail address is verified.",
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
        "The operator suspended its properties.", "Look at the properties", "property_list"
    ),
    "not_supported_yet": _edit(
        "It asks for something that this release cannot do.", "Take that out", "name"
    ),
    "no_ads": _here("It has no ad.", "Add an ad", "ads"),
    "ads_pending_review": _here("Its ads wait for review.", "Look at the ads", "ads"),
    "ads_paused": _here("All of its ads are paused.", "Resume an ad", "ads"),
    "ads_draft": _here("Its ads are drafts.", "Activate an ad", "ads"),
    "ads_rejected": _here("Its ads were rejected in review.", "Change an ad", "ads"),
    "no_slots": Reason(
        "Its properties have no slot to show ads in.", "Make a slot", "property_list"
    ),
    "slots_archived": Reason(
        "Every slot that its ads could use is archived.", "Look at the slots", "property_list"
    ),
    "no_slot_for_format": Reason(
        "No slot takes the format of its ads.", "Look at the slots", "property_list"
    ),
    "no_slot_for_size": Reason(
        "No slot takes the size of its ads.", "Look at the slots", "property_list"
    ),
    "caps_unknown": _edit(
        "It is shown less often than it could be: edges could not find out in time how often some readers had seen it, "
        "and showed them other ads. The operator checks how fast Redis answers; without a frequency cap nothing needs "
        "to be found out.",
        "Remove the frequency cap",
        "frequency_caps.0.limit",
    ),
}
"""By the code of `delivery_reason`."""

GATES: dict[Why, Reason] = {
    Why.NO_CANDIDATE: _here("No ad was there for this slot.", "Add an ad", "ads"),
    Why.ACCOUNT_STOPPED: DELIVERY["account_stopped"],
    Why.NO_FUNDS: DELIVERY["no_funds"],
    Why.DEMO_NEVER_FILLS: Reason(
        "The demo slot that never fills was asked: it is for trying out an empty slot."
    ),
    Why.SLOT_ARCHIVED: Reason("The slot is archived.", "Look at the slots", "property_list"),
    Why.STALE_SNAPSHOT: Reason(
        "An edge had not heard from us for so long that it stopped serving. The operator sees to it."
    ),
    Why.SPOOL_FULL: Reason(
        "An edge had no room to keep events, so it served nothing paid. The operator sees to it."
    ),
    Why.CAMPAIGN_NOT_ACTIVE: _here("The campaign was not active.", "Activate it", "acts"),
    Why.AD_NOT_ACTIVE: _here("The ad was not active.", "Look at the ads", "ads"),
    Why.OUT_OF_FLIGHT: _edit(
        "The campaign had not begun, or was over.", "Change the flight", "start_at"
    ),
    Why.NOT_SUPPORTED_YET: DELIVERY["not_supported_yet"],
    Why.BUDGET_SPENT: _edit(
        "The budget was spent, for the day or altogether, or what is left was promised elsewhere.",
        "Raise the budget",
        "budget.daily_cents",
    ),
    Why.FORMAT_MISMATCH: _here(
        "The slot wanted another format than the ad has.", "Add an ad of that format", "ads"
    ),
    Why.SIZE_MISMATCH: _here(
        "The ad's size did not fit the slot.", "Add an ad of that size", "ads"
    ),
    Why.SLOT_NOT_TARGETED: _edit(
        "The campaign or ad is not meant for this slot.",
        "Change the slots",
        "targeting.slots.include",
    ),
    Why.BLOCKED_ADVERTISER: Reason(
        "The slot refuses this advertiser.", "Look at the slots", "property_list"
    ),
    Why.BLOCKED_CATEGORY: Reason(
        "The slot or the property refuses a category of the ad.",
        "Look at the property",
        "property_list",
    ),
    Why.BLOCKED_AD: Reason(
        "The property refuses this very ad.", "Look at the property", "property_list"
    ),
    Why.BELOW_FLOOR: _edit(
        "The ad was expected to bring less than the slot's floor.", "Raise the bid", "bid_cents"
    ),
    Why.GEO_NOT_TARGETED: _edit(
        "The reader was somewhere else than the campaign aims at, or nobody knew where.",
        "Change the places",
        "targeting.geo.include",
    ),
    Why.DEVICE_NOT_TARGETED: _edit(
        "The reader had another device, system or browser.",
        "Change the devices",
        "targeting.device.types",
    ),
    Why.LANGUAGE_NOT_TARGETED: _edit(
        "The reader reads other languages.", "Change the languages", "targeting.languages"
    ),
    Why.DAYPART_NOT_TARGETED: _edit(
        "The campaign does not run at that day and hour.",
        "Change days and hours",
        "targeting.dayparts.0.days",
    ),
    Why.KEYWORDS_NOT_TARGETED: _edit(
        "The page was about something else, or about what is excluded.",
        "Change the keywords",
        "targeting.keywords.any",
    ),
    Why.KEY_VALUES_NOT_TARGETED: _edit(
        "The page's key-values were others.", "Change the key-values", "targeting.key_values.0.key"
    ),
    Why.SEGMENTS_NOT_TARGETED: _edit(
        "The reader was in none of the segments, or had not agreed to be looked at that closely.",
        "Change the segments",
        "targeting.segments.include",
    ),
    Why.UNFIT_FOR_CHILDREN: Reason(
        "The page is for children, and the ad's category is not. That never changes."
    ),
    Why.ADVERTISER_ALREADY_SHOWN: Reason("Another slot of the page showed this advertiser."),
    Why.SHARE_OF_VOICE: _edit(
        "Sponsors have their shares of the slot, and this one fell to nobody's.",
        "Change the share of voice",
        "share_of_voice_percent",
    ),
    Why.GOAL_REACHED: DELIVERY["goal_reached"],
    Why.PACED: _edit(
        "It could have won, and let this one pass so that the budget lasts its flight.",
        "Change the pacing",
        "pacing",
    ),
    Why.FREQUENCY_CAPPED: _edit(
        "The reader had seen it as often as the frequency cap allows.",
        "Change the cap",
        "frequency_caps.0.limit",
    ),
    Why.CAP_NOT_KNOWN: _edit(
        "It has a frequency cap, and nobody could say what the reader had seen.",
        "Change the cap",
        "frequency_caps.0.limit",
    ),
}


def reason_of(delivery_reason: str) -> tuple[Reason, str]:
    """
    The reason, and the API's own words if they add details: which formats, which sizes, which features.

    An unknown code is shown in the API's words alone.
    """
    code, _, words = delivery_reason.partition(": ")
    found = DELIVERY.get(code)
    if found is None:
        return Reason(delivery_reason), ""
    says_more = code in ("not_supported_yet", "no_slot_for_format", "no_slot_for_size")
    return found, words if says_more else ""


def gate_of(reason: str) -> Reason:
    return GATES[Why(reason)] if reason in GATES else Reason(reason)
