"""Explains each reason of an event, and what to do about it. Complete: every `Reason` has an entry."""

from dataclasses import dataclass

from common.values.enums import EventKind, Reason


@dataclass(frozen=True, slots=True)
class ReasonMessage:
    """
    ``label``: a few words for a table. ``text``: its meaning, as a sentence. ``remedy``: what to do, as a sentence.

    ``remedy`` is empty where there is nothing to do. All are also in the catalogues.
    """

    label: str
    text: str
    remedy: str = ""


KINDS: dict[EventKind, str] = {
    EventKind.IMPRESSION: "Impression",
    EventKind.CLICK: "Click",
    EventKind.CONVERSION: "Conversion",
}
_CRAWLER = (
    "Nothing: crawlers are expected. Add your own monitors to the property's internal addresses."
)
REASONS: dict[Reason, ReasonMessage] = {
    Reason.OK: ReasonMessage("Counted", "The event passed every check. It is counted and billed."),
    Reason.OK_TEST: ReasonMessage(
        "Counted, test",
        "The event passed every check in the test environment. It is counted there and costs nothing.",
        "Use a live key when the page goes live.",
    ),
    Reason.OK_OVER_BUDGET: ReasonMessage(
        "Counted, not charged",
        "The event is valid, but the budget was spent when it arrived. It is counted but not charged.",
        "Raise the campaign's budget to continue delivery.",
    ),
    Reason.OK_CONSENT_LIMITED: ReasonMessage(
        "Counted, limited consent",
        "The visitor did not consent to personal processing. The event is counted and billed, without personal data.",
        "Nothing, unless your consent banner failed to send its signal.",
    ),
    Reason.OK_LATE: ReasonMessage(
        "Counted, late",
        "The event arrived more than five minutes after it happened. It is counted in the hour it happened in.",
        "Nothing for an app that was offline. If events from web pages are late too, send them as they happen.",
    ),
    Reason.BOT_USER_AGENT: ReasonMessage(
        "Known bot",
        "The user agent is a crawler or monitor on the public lists.",
        _CRAWLER,
    ),
    Reason.UNKNOWN_USER_AGENT: ReasonMessage(
        "Unrecognised user agent",
        "The user agent is not that of a known browser or app.",
        "If this is your own app or server, send the visitor's user agent.",
    ),
    Reason.MISSING_USER_AGENT: ReasonMessage(
        "Missing user agent",
        "The request had no user agent. Browsers and apps always send one.",
        "If the request came from your server, send the visitor's user agent as `ua`.",
    ),
    Reason.DATACENTER_IP: ReasonMessage(
        "Data centre",
        "The request came from a data centre, not from a visitor's network.",
        "If your server sends requests for visitors, send the visitor's address as `ip` with a secret key.",
    ),
    Reason.PREFETCH: ReasonMessage(
        "Prefetched",
        "The browser loaded the page before anyone looked at it.",
        "Nothing: the event is sent again, and counts, when the page is viewed.",
    ),
    Reason.INTERNAL_TRAFFIC: ReasonMessage(
        "Your own traffic",
        "The address is one of the property's internal addresses.",
        "Nothing if this is your office. Otherwise correct the property's internal addresses.",
    ),
    Reason.RATE_EXCEEDED: ReasonMessage(
        "Rate exceeded",
        "One client sent more events in a short time than a person can.",
        "Check the page: the usual cause is a loop that reloads the slot.",
    ),
    Reason.DUPLICATE_CLICK: ReasonMessage(
        "Repeated click",
        "The same ad was clicked again within moments. The first click counts.",
        "Nothing for double clicks. If every click is repeated, the page tracks it twice.",
    ),
    Reason.DUPLICATE_IMPRESSION: ReasonMessage(
        "Repeated impression",
        "Duplicate impression. The first one counts.",
        "If this happens often, the page tracks impressions twice, for example by script and by pixel.",
    ),
    Reason.CLICK_TOO_FAST: ReasonMessage(
        "Click too fast",
        "The click came sooner after the ad was shown than a person can react.",
        "Check that no script on the page clicks, and that the ad does not move while the page loads.",
    ),
    Reason.ORIGIN_MISMATCH: ReasonMessage(
        "Another site",
        "The event came from a page outside this property.",
        "If the page is yours, add its origin to the additional origins of the property.",
    ),
    Reason.CONSENT_DENIED: ReasonMessage(
        "Consent refused",
        "The visitor refused measurement, so the event is not counted.",
        "Nothing: this is the visitor's choice.",
    ),
    Reason.CAMPAIGN_ENDED: ReasonMessage(
        "Campaign over",
        "The event arrived more than a day after the campaign had ended.",
        "Nothing, or extend the campaign if it should still run.",
    ),
    Reason.CLOCK_SKEW: ReasonMessage(
        "Wrong clock",
        "The event's time is impossible.",
        "Set the clock of the device or server that sends it.",
    ),
    Reason.MAIL_PRIVACY_PROXY: ReasonMessage(
        "Mail proxy",
        "An email provider loaded the image, whether or not the email was opened.",
        "Nothing: measure email campaigns by clicks.",
    ),
    Reason.MAIL_LINK_SCANNER: ReasonMessage(
        "Link scanner",
        "A security scanner followed the link first. The visitor's own click still counts.",
        "Nothing.",
    ),
    Reason.RETRACTED: ReasonMessage(
        "Retracted",
        "This event retracts an earlier one. Its count and its cost are subtracted.",
        "View the event that it retracts. The money is credited in this month.",
    ),
}
