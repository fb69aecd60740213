"""
The invalid-traffic rules that depend on earlier events of the same client: pure and versioned, like `judge`.

They apply only to events that are valid by their own request, and not to test traffic, previews and quality signals.
Apart from the rule for mail scanners, they also exclude requests that servers send on behalf of many users (mail, AMP,
server to server): there one client is not one user.

Order:

0. ``mail_link_scanner``     in a mail, and no other rule there: one of many clicks of one client within a second
1. ``click_too_fast``        sooner after its serve than a person can see and decide
2. ``duplicate_click``       on an ad that the client had clicked just before, under another token
3. ``duplicate_impression``  of an ad in a slot that showed it to the client just before, under another token
4. ``rate_exceeded``         more of a kind in one slot and one clock minute than a user causes

A window is built from a client's records in the order of their partition. The same records in the same order always
give the same verdicts. Events that are found invalid are not counted in it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from common.values.enums import EventKind, QualitySignal, Reason, Surface

WINDOW_VERSION = 1002
"""Stored on the event in place of `JUDGE_VERSION` where a window decided; above a thousand to distinguish the two."""
MINUTE_MS = 60_000
SECOND_MS = 1_000
_MAIL_CLICKS_KEPT = 16
SERVED_BY_SERVERS = frozenset({Surface.SERVER, Surface.EMAIL, Surface.AMP, Surface.CTV})


@dataclass(frozen=True, slots=True)
class Limits:
    """
    *click_min_delay_ms*, *click_dedup_window_ms* and *impression_dedup_window_ms* 0: the rule is off.

    A client is an address and a user agent, which many users behind one network share. So its rates are those of a
    crowd (impressions: the serve limit of one address, a hundred a second), not of one user. For the same reason an ad
    that is shown twice within a moment is weak evidence, and is ignored unless the operator configures it.
    """

    click_min_delay_ms: int = 300
    click_dedup_window_ms: int = 2_000
    max_impressions_per_minute: int = 6_000
    max_clicks_per_minute: int = 100
    impression_dedup_window_ms: int = 0
    max_mail_clicks_per_second: int = 2
    """More clicks than that on links in mails come from a scanner; two are a double click."""


LIMITS = Limits()


class ClientEvent(NamedTuple):
    """The input of the rules. Ids are texts; times of the edge in epoch ms."""

    kind: EventKind | QualitySignal
    reason: Reason
    client: str | None
    slot_id: str
    ad_id: str
    surface: Surface
    is_test: bool
    preview: bool
    issued_ms: int
    at_ms: int


@dataclass(slots=True)
class Window:
    """Recent events of the clients of one partition. Holds at most two minutes of the latest client's time."""

    counts: dict[tuple[str, str, EventKind], tuple[int, int]] = field(default_factory=dict)
    """By client, slot and kind: the minute, and the number of valid events in it."""
    clicks: dict[tuple[str, str], int] = field(default_factory=dict)
    """By client and ad: time of the last click, valid or duplicate."""
    shown: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """By client, slot and ad: time of the last impression, valid or duplicate; empty where the rule is off."""
    mail_clicks: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """By client: times of the last clicks in mails, including scanners'."""
    swept_minute: int = 0

    def record_mail_click(self, client: str, at_ms: int) -> None:
        before = self.mail_clicks.get(client, ())
        self.mail_clicks[client] = (*before[-_MAIL_CLICKS_KEPT + 1 :], at_ms)

    def sweep(self, minute: int) -> None:
        """Removes entries that no rule can need any more."""
        if minute <= self.swept_minute + 1:
            return
        self.swept_minute = minute
        oldest = minute - 1
        self.counts = {key: one for key, one in self.counts.items() if one[0] >= oldest}
        self.clicks = {
            key: at_ms for key, at_ms in self.clicks.items() if at_ms // MINUTE_MS >= oldest
        }
        self.shown = {
            key: at_ms for key, at_ms in self.shown.items() if at_ms // MINUTE_MS >= oldest
        }
        self.mail_clicks = {
            key: times
            for key, times in self.mail_clicks.items()
            if times[-1] // MINUTE_MS >= oldest
        }


def judge_window(event: ClientEvent, window: Window, limits: Limits = LIMITS) -> Reason:
    """Returns the reason of *event* according to *window*; `record_event` adds it to the window."""
    if not _is_judged(event):
        return event.reason
    if event.surface is Surface.EMAIL:
        return _judge_mail(event, window, limits)
    if event.kind is EventKind.CLICK:
        if event.at_ms - event.issued_ms < limits.click_min_delay_ms:
            return Reason.CLICK_TOO_FAST
        if _is_doubled(event, window, limits):
            return Reason.DUPLICATE_CLICK
    elif _is_shown_twice(event, window, limits):
        return Reason.DUPLICATE_IMPRESSION
    most = (
        limits.max_impressions_per_minute
        if event.kind is EventKind.IMPRESSION
        else limits.max_clicks_per_minute
    )
    return Reason.RATE_EXCEEDED if _count(event, window) >= most else event.reason


def may_count(window: Window, client: str, slot_id: str, at_ms: int, limits: Limits) -> bool:
    """
    Combines `judge_window` and `record_event` for nearly all events: a valid impression, no test and no preview, on a
    surface whose requests come from users, where the rule of `Limits.impression_dedup_window_ms` is off. False:
    `Reason.RATE_EXCEEDED`.
    """
    minute = at_ms // MINUTE_MS
    key = (client, slot_id, EventKind.IMPRESSION)
    found = window.counts.get(key)
    count = found[1] if found is not None and found[0] == minute else 0
    if minute > window.swept_minute + 1:
        window.sweep(minute)
    if count >= limits.max_impressions_per_minute:
        return False
    window.counts[key] = (minute, count + 1)
    return True


def record_event(
    event: ClientEvent, reason: Reason, window: Window, limits: Limits = LIMITS
) -> None:
    """Adds *event*, judged as *reason*, to *window*."""
    if not _is_judged(event) or event.client is None or not isinstance(event.kind, EventKind):
        return
    minute = event.at_ms // MINUTE_MS
    window.sweep(minute)
    if event.surface is Surface.EMAIL:
        window.record_mail_click(event.client, event.at_ms)
        return
    if event.kind is EventKind.CLICK:
        if reason.valid or reason is Reason.DUPLICATE_CLICK:
            window.clicks[event.client, event.ad_id] = event.at_ms
    elif limits.impression_dedup_window_ms and (
        reason.valid or reason is Reason.DUPLICATE_IMPRESSION
    ):
        window.shown[event.client, event.slot_id, event.ad_id] = event.at_ms
    if reason.valid:
        window.counts[event.client, event.slot_id, event.kind] = (minute, _count(event, window) + 1)


def _is_judged(event: ClientEvent) -> bool:
    return (
        event.client is not None
        and (event.kind is EventKind.IMPRESSION or event.kind is EventKind.CLICK)
        and event.reason.valid
        and not event.is_test
        and not event.preview
        and (event.surface not in SERVED_BY_SERVERS or _is_mail_click(event))
    )


def _is_mail_click(event: ClientEvent) -> bool:
    return event.surface is Surface.EMAIL and event.kind is EventKind.CLICK


def _judge_mail(event: ClientEvent, window: Window, limits: Limits) -> Reason:
    times = window.mail_clicks.get(event.client or "", ())
    near = sum([abs(event.at_ms - at_ms) < SECOND_MS for at_ms in times])
    return Reason.MAIL_LINK_SCANNER if near >= limits.max_mail_clicks_per_second else event.reason


def _is_doubled(event: ClientEvent, window: Window, limits: Limits) -> bool:
    before_ms = window.clicks.get((event.client or "", event.ad_id))
    return before_ms is not None and abs(event.at_ms - before_ms) < limits.click_dedup_window_ms


def _is_shown_twice(event: ClientEvent, window: Window, limits: Limits) -> bool:
    before_ms = window.shown.get((event.client or "", event.slot_id, event.ad_id))
    return (
        before_ms is not None and abs(event.at_ms - before_ms) < limits.impression_dedup_window_ms
    )


def _count(event: ClientEvent, window: Window) -> int:
    found = window.counts.get((event.client or "", event.slot_id, EventKind(event.kind)))
    return found[1] if found is not None and found[0] == event.at_ms // MINUTE_MS else 0
