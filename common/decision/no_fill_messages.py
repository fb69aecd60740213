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
        "The account does not serve: it is suspended, or its live serving is stopped.",
        "Pay what is due, or call `POST /v1/account/resume`.",
    ),
    Why.NO_FUNDS: Message(
        "The campaign's account cannot pay: its wallet is empty, or its credit limit is reached.",
        "Top up the wallet, or pay an invoice.",
    ),
    Why.DEMO_NEVER_FILLS: Message(
        "This test slot never fills.",
        "Request `demo-always-fill`, or one of your own slots.",
    ),
    Why.SLOT_ARCHIVED: Message(
        "The slot is archived.", "Request an active slot, or reactivate this one."
    ),
    Why.STALE_SNAPSHOT: Message(
        "The edge's snapshot was too old, so it stopped live traffic.",
        "The operator should check the edge's snapshot and `control publish`.",
    ),
    Why.SPOOL_FULL: Message(
        "The edge's event buffer was full, so it served no paid ads.",
        "The operator should check the edge's disk and the event log.",
    ),
    Why.CAMPAIGN_NOT_ACTIVE: Message(
        "The campaign is not active.", "Activate or resume the campaign."
    ),
    Why.AD_NOT_ACTIVE: Message("The ad is not active.", "Activate the ad."),
    Why.OUT_OF_FLIGHT: Message(
        "The campaign has not started, or has ended.", "Change `start_at` or `end_at`."
    ),
    Why.NOT_SUPPORTED_YET: Message(
        "The campaign or ad uses a feature that this release does not support.",
        "Remove the feature; the campaign's `delivery_reason` names it.",
    ),
    Why.BUDGET_SPENT: Message(
        "The campaign's daily or total budget is spent.",
        "Raise `budget.daily_cents` or `budget.total_cents`, or wait for the next day.",
    ),
    Why.FORMAT_MISMATCH: Message(
        "The slot does not allow the ad's format, or the request asked for another one.",
        "Add the format to the slot, request another `format`, or create an ad of that format.",
    ),
    Why.SIZE_MISMATCH: Message(
        "The slot does not allow the ad's size, or the ad is larger than `w` and `h`.",
        "Create an ad in one of the slot's sizes, or send larger `w` and `h`.",
    ),
    Why.SLOT_NOT_TARGETED: Message(
        "The campaign or the ad does not target this slot.",
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
        "The property blocks this ad.", "Change the property's `blocked_ad_ids`."
    ),
    Why.BELOW_FLOOR: Message(
        "The ad's expected eCPM is below the slot's floor.",
        "Raise the campaign's `bid_cents`, or lower the slot's `floor_cents`.",
    ),
    Why.GEO_NOT_TARGETED: Message(
        "The campaign or ad does not target the visitor's country or region, or these are unknown.",
        "Change `targeting.geo`. Servers must send the visitor's address in `ip`.",
    ),
    Why.DEVICE_NOT_TARGETED: Message(
        "The campaign or ad does not target the visitor's device, system or browser, or these are unknown.",
        "Change `targeting.device`. Servers must send the visitor's user agent in `ua`.",
    ),
    Why.LANGUAGE_NOT_TARGETED: Message(
        "The campaign or ad does not target the visitor's languages.",
        "Change `targeting.languages`, or send `lang`.",
    ),
    Why.DAYPART_NOT_TARGETED: Message(
        "The campaign or ad does not run at this day and time, in the campaign's time zone.",
        "Change `targeting.dayparts`, or the campaign's `timezone`.",
    ),
    Why.KEYWORDS_NOT_TARGETED: Message(
        "The keywords of the request do not match the campaign's or ad's, or one of them is excluded.",
        "Change `targeting.keywords`, or send `keywords`.",
    ),
    Why.KEY_VALUES_NOT_TARGETED: Message(
        "The key-values of the request do not match the campaign's or ad's conditions.",
        "Change `targeting.key_values`, or send `kv.<name>`.",
    ),
    Why.SEGMENTS_NOT_TARGETED: Message(
        "The visitor is in none of the targeted segments, or in an excluded one, or has not consented to segments.",
        "Change `targeting.segments`, or send `segments` with consent.",
    ),
    Why.UNFIT_FOR_CHILDREN: Message(
        "The request is directed at children, and the ad's category is unsuitable for them.",
        "This cannot be changed: such ads are never shown to children.",
    ),
    Why.ADVERTISER_ALREADY_SHOWN: Message(
        "Another slot of the same request shows this advertiser.",
        "Add campaigns of other advertisers, or request the slots separately.",
    ),
    Why.SHARE_OF_VOICE: Message(
        "Sponsorships reserve shares of this slot, and this request fell into no sponsor's share.",
        "Raise `share_of_voice_percent`, or add campaigns of other priorities.",
    ),
    Why.GOAL_REACHED: Message(
        "The campaign has reached its goal.", "Raise the campaign's `goal.total`."
    ),
    Why.PACED: Message(
        "Pacing held the campaign back, so that its budget lasts until its end.",
        "Raise the budget, end the flight earlier, or set `pacing` to `asap`.",
    ),
    Why.FREQUENCY_CAPPED: Message(
        "The visitor has reached the frequency cap of the campaign or ad.",
        "Raise the cap's `limit`, or shorten its `window`.",
    ),
    Why.CAP_NOT_KNOWN: Message(
        "The campaign has a frequency cap, and the visitor's count is unknown.",
        "Send `uid` with consent, or `seen`, or remove the cap.",
    ),
}

WON = "Chosen."
HOUSE = "Chosen without charge: a house campaign, or the slot's fallback ad."
OUTRANKED = "Eligible, but another ad ranked higher."
CLOSED = "Eligible, but the slot could not show any ad; see the outcome."
PREVIEWED = "Requested as `preview_ad`, so no other ad was considered."


def words_of(reason: Why) -> str:
    """Returns the reason's sentence and its remedy."""
    return str(WORDS[reason])


def table() -> str:
    """Returns all of them as a Markdown table, for the public API description."""
    rows = [f"| `{why.value}` | {words.said} | {words.remedy} |" for why, words in WORDS.items()]
    return "\n".join(("| reason | meaning | how to change it |", "| --- | --- | --- |", *rows))
