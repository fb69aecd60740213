"""Text for each no-fill reason, and how to change it. The set is closed: every `NoFillReason` has its text."""

from dataclasses import dataclass

from common.decision.rules.outcome import NoFillReason as Why


@dataclass(frozen=True, slots=True)
class Message:
    """``said``: what happened, as a sentence. ``remedy``: what changes it, as a sentence."""

    said: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.said} {self.remedy}"


WORDS: dict[Why, Message] = {
    Why.NO_CANDIDATE: Message(
        "No campaign of this environment has an ad for this property.",
        "Create a campaign for the property, give it an ad, and activate both.",
    ),
    Why.ACCOUNT_STOPPED: Message(
        "The account does not serve: it is suspended, or its own stop switch is on.",
        "Settle what is due, or call `POST /v1/account/resume`.",
    ),
    Why.NO_FUNDS: Message(
        "The campaign's account cannot pay: its wallet is empty, or its credit limit is reached.",
        "Top up the wallet, or pay an invoice.",
    ),
    Why.DEMO_NEVER_FILLS: Message(
        "This is the test slot that never fills.",
        "Ask for `demo-always-fill`, or for a slot of your own.",
    ),
    Why.SLOT_ARCHIVED: Message(
        "The slot is archived.", "Ask for an active slot, or make the slot active again."
    ),
    Why.STALE_SNAPSHOT: Message(
        "The edge had not heard from the control plane for so long that it stopped live traffic.",
        "An operator looks at the edge's snapshot and at `control publish`.",
    ),
    Why.SPOOL_FULL: Message(
        "The edge could not keep further events, so it served nothing that is paid for.",
        "An operator looks at the edge's disk and at the event log.",
    ),
    Why.CAMPAIGN_NOT_ACTIVE: Message(
        "The campaign is not active.", "Activate or resume the campaign."
    ),
    Why.AD_NOT_ACTIVE: Message("The ad is not active.", "Activate the ad."),
    Why.OUT_OF_FLIGHT: Message(
        "The campaign has not begun, or has ended.", "Change `start_at` or `end_at`."
    ),
    Why.NOT_SUPPORTED_YET: Message(
        "The campaign or ad asks for something that this release cannot honour.",
        "Take it out; the campaign's `delivery_reason` names it.",
    ),
    Why.BUDGET_SPENT: Message(
        "The campaign's budget is used up, for today or altogether.",
        "Raise `budget.daily_cents` or `budget.total_cents`, or wait for the next day.",
    ),
    Why.FORMAT_MISMATCH: Message(
        "The ad's format is not among the slot's, or not the one that was asked for.",
        "Add the format to the slot, ask for another `format`, or make an ad of that format.",
    ),
    Why.SIZE_MISMATCH: Message(
        "The ad's size is none of the slot's, or larger than the room the caller has.",
        "Make an ad of a size of the slot, or ask with larger `w` and `h`.",
    ),
    Why.SLOT_NOT_TARGETED: Message(
        "The campaign or the ad is not meant for this slot.",
        "Change the ad's `slot_ids`, or `targeting.slots`.",
    ),
    Why.BLOCKED_ADVERTISER: Message(
        "The slot blocks the ad's advertiser.", "Change the slot's `blocked_advertiser_domains`."
    ),
    Why.BLOCKED_CATEGORY: Message(
        "The slot or the property blocks one of the ad's categories.",
        "Change `blocked_categories`, or the ad's `categories`.",
    ),
    Why.BLOCKED_AD: Message(
        "The property blocks this very ad.", "Change the property's `blocked_ad_ids`."
    ),
    Why.BELOW_FLOOR: Message(
        "The ad's expected eCPM is below the slot's floor.",
        "Raise the campaign's `bid_cents`, or lower the slot's `floor_cents`.",
    ),
    Why.GEO_NOT_TARGETED: Message(
        "The campaign or ad does not target the caller's country or region, or it is not known.",
        "Change `targeting.geo`; a server caller names its reader's address in `ip`.",
    ),
    Why.DEVICE_NOT_TARGETED: Message(
        "The campaign or ad does not target the caller's device, system or browser, or it is not known.",
        "Change `targeting.device`; a server caller names its reader's user agent in `ua`.",
    ),
    Why.LANGUAGE_NOT_TARGETED: Message(
        "The campaign or ad targets other languages than the caller's.",
        "Change `targeting.languages`, or send `lang`.",
    ),
    Why.DAYPART_NOT_TARGETED: Message(
        "The campaign or ad does not run at this day and time, in the campaign's time zone.",
        "Change `targeting.dayparts`, or the campaign's `timezone`.",
    ),
    Why.KEYWORDS_NOT_TARGETED: Message(
        "The call's keywords are not those that the campaign or ad targets, or one of them is excluded.",
        "Change `targeting.keywords`, or send `keywords`.",
    ),
    Why.KEY_VALUES_NOT_TARGETED: Message(
        "The call's key-values do not meet the campaign's or the ad's conditions.",
        "Change `targeting.key_values`, or send `kv.<name>`.",
    ),
    Why.SEGMENTS_NOT_TARGETED: Message(
        "The reader is in none of the targeted segments, or in an excluded one, or may not be looked at that closely.",
        "Change `targeting.segments`, or send `segments` with consent.",
    ),
    Why.UNFIT_FOR_CHILDREN: Message(
        "The call is directed at children, and the ad is of a category that is not for them.",
        "Nothing: such ads are never shown to children.",
    ),
    Why.ADVERTISER_ALREADY_SHOWN: Message(
        "Another slot of the same call shows this advertiser.",
        "Add campaigns of other advertisers, or ask for the slots one by one.",
    ),
    Why.SHARE_OF_VOICE: Message(
        "Sponsors have their shares of this slot, and this opportunity fell to nobody's.",
        "Raise `share_of_voice_percent`, or add campaigns of other priorities.",
    ),
    Why.GOAL_REACHED: Message(
        "The campaign has delivered what its goal asks for.", "Raise the campaign's `goal.total`."
    ),
    Why.PACED: Message(
        "The campaign could have won, and waits here for its plan, so that its budget lasts its flight.",
        "Raise the budget, end the flight earlier, or set `pacing` to `asap`.",
    ),
    Why.FREQUENCY_CAPPED: Message(
        "This reader has seen the campaign or ad as often as its frequency cap allows.",
        "Raise the cap's `limit`, or shorten its `window`.",
    ),
    Why.CAP_NOT_KNOWN: Message(
        "The campaign has a frequency cap, and nobody could say what this reader has seen.",
        "Send `uid` with consent, or `seen`, or take the cap out.",
    ),
}

WON = "It was chosen."
HOUSE = "It costs nothing: a house campaign, or the slot's own last resort when nothing paid may be shown."
OUTRANKED = "It fits, and another came before it."
CLOSED = "It fits, but the slot was closed to every ad; the outcome says why."
PREVIEWED = "It was named as `preview_ad`, so nothing else was looked at."


def words_of(reason: Why) -> str:
    """Returns the reason's sentence and its remedy."""
    return str(WORDS[reason])


def table() -> str:
    """Returns all of them as a Markdown table, for the public API description."""
    rows = [f"| `{why.value}` | {words.said} | {words.remedy} |" for why, words in WORDS.items()]
    return "\n".join(("| reason | what it says | what changes it |", "| --- | --- | --- |", *rows))
