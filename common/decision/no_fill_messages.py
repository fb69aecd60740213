"""Text for each no-fill reason, and how to change it. The set is closed: every `NoFillReason` has its text."""

from dataclasses import dataclass

from common.decision.rules.kinds import TARGETING_KINDS
from common.decision.rules.outcome import NoFillReason as Why
from common.values.messages import Message


@dataclass(frozen=True, slots=True)
class ReasonText:
    """``text``: what happened, as a sentence. ``remedy``: what changes it, as a sentence."""

    text: Message
    remedy: Message


MESSAGES: dict[Why, ReasonText] = {
    Why.NO_CANDIDATE: ReasonText(
        Message("No campaign in this environment has an ad for this property."),
        Message("Create a campaign for the property, add an ad, and activate both."),
    ),
    Why.ACCOUNT_STOPPED: ReasonText(
        Message("The account does not serve ads: it is suspended, or its emergency switch is on."),
        Message("Pay what is due, or call `POST /v1/account/resume`."),
    ),
    Why.NO_FUNDS: ReasonText(
        Message(
            "The campaign's account cannot pay: its wallet is empty, or its credit limit is reached."
        ),
        Message("Top up the wallet, or pay an invoice."),
    ),
    Why.DEMO_NEVER_FILLS: ReasonText(
        Message("This is the test slot that never fills."),
        Message("Request `demo-always-fill`, or a slot of your own."),
    ),
    Why.SLOT_ARCHIVED: ReasonText(
        Message("The slot is archived."),
        Message("Request an active slot, or make this slot active again."),
    ),
    Why.STALE_SNAPSHOT: ReasonText(
        Message(
            "The edge received nothing from the control plane for so long that it stopped live "
            "traffic."
        ),
        Message("Ask the operator to check the edge's snapshot and the `control publish` process."),
    ),
    Why.SPOOL_FULL: ReasonText(
        Message("The edge could not store more events, so it served no paid ads."),
        Message("Ask the operator to check the edge's disk and the event log."),
    ),
    Why.CAMPAIGN_NOT_ACTIVE: ReasonText(
        Message("The campaign is not active."), Message("Activate or resume the campaign.")
    ),
    Why.AD_NOT_ACTIVE: ReasonText(Message("The ad is not active."), Message("Activate the ad.")),
    Why.OUT_OF_FLIGHT: ReasonText(
        Message("The campaign has not begun, or has ended."),
        Message("Change `start_at` or `end_at`."),
    ),
    Why.NOT_SUPPORTED_YET: ReasonText(
        Message("The campaign or ad uses a feature that this release does not support."),
        Message("Remove that feature. The campaign's `delivery_reason` names it."),
    ),
    Why.BUDGET_SPENT: ReasonText(
        Message("The campaign's budget is spent, for today or in total."),
        Message("Raise `budget.daily_cents` or `budget.total_cents`, or wait for the next day."),
    ),
    Why.FORMAT_MISMATCH: ReasonText(
        Message("The ad's format is not one of the slot's formats, or not the requested one."),
        Message(
            "Add the format to the slot, request another `format`, or create an ad in a format "
            "of the slot."
        ),
    ),
    Why.SIZE_MISMATCH: ReasonText(
        Message(
            "The ad's size is not one of the slot's sizes, or is larger than the requested size."
        ),
        Message("Create an ad in one of the slot's sizes, or request with larger `w` and `h`."),
    ),
    Why.SLOT_NOT_TARGETED: ReasonText(
        Message("The campaign or the ad does not target this slot."),
        Message("Change the ad's `slot_ids`, or `targeting.slots`."),
    ),
    Why.BLOCKED_ADVERTISER: ReasonText(
        Message("The slot blocks the ad's advertiser."),
        Message("Change the slot's `blocked_advertiser_domains`."),
    ),
    Why.BLOCKED_CATEGORY: ReasonText(
        Message("The slot or the property blocks one of the ad's categories."),
        Message("Change `blocked_categories`, or the ad's `categories`."),
    ),
    Why.BLOCKED_AD: ReasonText(
        Message("The property blocks this ad."),
        Message("Change the property's `blocked_ad_ids`."),
    ),
    Why.BELOW_FLOOR: ReasonText(
        Message("The ad's expected eCPM is below the slot's floor."),
        Message("Raise the campaign's `bid_cents`, or lower the slot's `floor_cents`."),
    ),
    **{kind.reason: ReasonText(kind.text, kind.remedy) for kind in TARGETING_KINDS},
    Why.UNFIT_FOR_CHILDREN: ReasonText(
        Message(
            "The request is directed at children, and the ad is in a category that is not for them."
        ),
        Message("This cannot be changed: such ads are never shown to children."),
    ),
    Why.ADVERTISER_ALREADY_SHOWN: ReasonText(
        Message("Another slot of the same request, or the same ad break, shows this advertiser."),
        Message("Add campaigns of other advertisers, or request the slots one by one."),
    ),
    Why.CATEGORY_ALREADY_SHOWN: ReasonText(
        Message(
            "The same ad break shows an ad of this category, and the slot separates categories."
        ),
        Message("Add ads of other categories, or set the slot's `separate_categories` to false."),
    ),
    Why.DURATION_MISMATCH: ReasonText(
        Message("The ad is longer than what is left of the ad break."),
        Message("Add shorter ads, or request with a larger `max_duration_ms`."),
    ),
    Why.SHARE_OF_VOICE: ReasonText(
        Message(
            "Sponsorships hold shares of voice in this slot, and this request fell outside all "
            "of them."
        ),
        Message("Raise `share_of_voice_percent`, or add campaigns of other priorities."),
    ),
    Why.GOAL_REACHED: ReasonText(
        Message("The campaign has reached its goal."),
        Message("Raise the campaign's `goal.total`."),
    ),
    Why.PACED: ReasonText(
        Message(
            "The campaign was eligible, but pacing held it back so that its budget lasts for the "
            "flight."
        ),
        Message("Raise the budget, end the flight earlier, or set `pacing` to `asap`."),
    ),
    Why.FREQUENCY_CAPPED: ReasonText(
        Message("The visitor has seen the campaign or ad as often as its frequency cap allows."),
        Message("Raise the cap's `limit`, or shorten its `window`."),
    ),
    Why.CAP_NOT_KNOWN: ReasonText(
        Message(
            "The campaign has a frequency cap, and the number of ads the visitor has seen is unknown."
        ),
        Message("Send `uid` with consent or `seen`, or remove the cap."),
    ),
}

WON = Message("The ad was chosen.")
HOUSE = Message(
    "A free ad was chosen: the ad of a house campaign, or the slot's house ad if no paid ad "
    "may be shown."
)
OUTRANKED = Message("The ad is eligible, but another one ranked higher.")
CLOSED = Message("The ad is eligible, but the slot accepted no ad. The outcome gives the reason.")
PREVIEWED = Message("The request named this ad as `preview_ad`, so no other ad was considered.")


def message_of(reason: Why) -> Message:
    """Returns the reason's sentence and its remedy."""
    return Message.joined([MESSAGES[reason].text, MESSAGES[reason].remedy])


def table() -> str:
    """Returns all of them as a Markdown table, for the public API description."""
    rows = [f"| `{why.value}` | {words.text} | {words.remedy} |" for why, words in MESSAGES.items()]
    return "\n".join(("| reason | meaning | how to change it |", "| --- | --- | --- |", *rows))
