"""Explains each reason of an event, and what to do about it. Complete: every `Reason` has an entry."""

from dataclasses import dataclass

from common.values.enums import EventKind, Reason


@dataclass(frozen=True, slots=True)
class ReasonMessage:
    """
    ``label``: a few words for a table. ``said``: its meaning, as a sentence. ``remedy``: what to do, as a sentence.

    ``remedy`` is empty where there is nothing to do. All are also in the catalogues.
    """

    label: str
    said: str
    remedy: str = ""


KINDS: dict[EventKind, str] = {
    EventKind.IMPRESSION: "Impression",
    EventKind.CLICK: "Click",
    EventKind.CONVERSION: "Conversion",
}
_CRAWLER = "Nothing: crawlers are expected. Your own monitors are better named in the property's excluded ranges."
REASONS: dict[Reason, ReasonMessage] = {
    Reason.OK: ReasonMessage("Counted", "The event passed every check. It is counted and billed."),
    Reason.OK_TEST: ReasonMessage(
        "Counted, test",
        "The event passed every check in the test environment. It is counted there and costs nothing.",
        "Use a live key when the page goes live.",
    ),
    Reason.OK_OVER_BUDGET: ReasonMessage(
        "Counted, not charged",
        "The event is genuine, but the budget was used up when it arrived. It is counted and charged nothing.",
        "Raise the campaign's budget if it should go on delivering.",
    ),
    Reason.OK_CONSENT_LIMITED: ReasonMessage(
        "Counted, limited consent",
        "The reader did not agree to personal processing. The event is counted and billed, with nothing personal.",
        "Nothing, unless your consent banner should have passed its signal on and did not.",
    ),
    Reason.OK_LATE: ReasonMessage(
        "Counted, late",
        "The event arrived more than five minutes after it happened. It is counted in the hour it happened in.",
        "Nothing for an app that was offline. If web pages are late, too, send events as they happen.",
    ),
    Reason.BOT_USER_AGENT: ReasonMessage(
        "Known bot",
        "The client calls itself a crawler or a monitor that is on the public lists.",
        _CRAWLER,
    ),
    Reason.UNKNOWN_USER_AGENT: ReasonMessage(
        "Unknown client",
        "The client's name is none of a browser or an app.",
        "If it is your own app or server, let it send the reader's user agent, or name itself as a browser does.",
    ),
    Reason.MISSING_USER_AGENT: ReasonMessage(
        "No client named",
        "The call named no client at all, which browsers and apps always do.",
        "If it came from your server, pass the reader's user agent on as `ua`.",
    ),
    Reason.DATACENTER_IP: ReasonMessage(
        "Data centre",
        "The call came from a data centre, where few readers are.",
        "If your server calls for its readers, pass the reader's address on as `ip` with a secret key.",
    ),
    Reason.PREFETCH: ReasonMessage(
        "Loaded ahead",
        "The browser loaded the page before anybody looked at it.",
        "Nothing: the event comes again, and counts, when the page is looked at.",
    ),
    Reason.INTERNAL_TRAFFIC: ReasonMessage(
        "Your own traffic",
        "The address is in one of the property's excluded ranges.",
        "Nothing if that is your office. Else correct the excluded ranges of the property.",
    ),
    Reason.RATE_EXCEEDED: ReasonMessage(
        "Too many at once",
        "One client sent more events in a short time than a person can.",
        "Look at what the page does: a loop that reloads the slot is the usual cause.",
    ),
    Reason.DUPLICATE_CLICK: ReasonMessage(
        "Repeated click",
        "The same ad was clicked again within moments. The first click counts.",
        "Nothing for double clicks. If every click is doubled, the page tracks it twice.",
    ),
    Reason.DUPLICATE_IMPRESSION: ReasonMessage(
        "Repeated impression",
        "The same showing was told a second time. The first one counts.",
        "If it happens often, the page tracks an impression twice: by script and by pixel, for example.",
    ),
    Reason.CLICK_TOO_FAST: ReasonMessage(
        "Click too fast",
        "The click came sooner after the ad was shown than a person can react.",
        "Check that nothing on the page clicks by itself, and that the ad does not slide under the finger.",
    ),
    Reason.ORIGIN_MISMATCH: ReasonMessage(
        "Another site",
        "The event came from a page that is not of this property.",
        "If the page is yours, add its origin to the allowed origins of the property.",
    ),
    Reason.CONSENT_DENIED: ReasonMessage(
        "Consent refused",
        "The reader refused measurement, so the event is not counted.",
        "Nothing: this is the reader's choice.",
    ),
    Reason.CAMPAIGN_ENDED: ReasonMessage(
        "Campaign over",
        "The event arrived more than a day after the campaign had ended.",
        "Nothing, or extend the campaign if it should still run.",
    ),
    Reason.CLOCK_SKEW: ReasonMessage(
        "Wrong clock",
        "The event says that it happened at a time that cannot be.",
        "Set the clock of the device or server that sends it.",
    ),
    Reason.MAIL_PRIVACY_PROXY: ReasonMessage(
        "Mail proxy",
        "A mail provider loaded the picture for the reader, whether or not the mail was opened.",
        "Nothing: judge mail campaigns by clicks.",
    ),
    Reason.MAIL_LINK_SCANNER: ReasonMessage(
        "Link scanner",
        "A security scanner followed the link before the reader did. The reader's own click still counts.",
        "Nothing.",
    ),
    Reason.RETRACTED: ReasonMessage(
        "Taken back",
        "This event takes an earlier one back: what it had counted and cost is subtracted.",
        "Look at the event that it corrects; the money is back in this month's books.",
    ),
}
