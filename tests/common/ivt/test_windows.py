"""What a client did before decides: rates, double clicks, clicks that come too fast."""

import random
from typing import Any

import pytest

from common.ivt.windows import LIMITS, ClientEvent, Limits, Window, judge_window, record_event
from common.values.enums import EventKind, QualitySignal, Reason, Surface

NOW_MS = 1_790_000_000_000
CLICK = EventKind.CLICK


def an_act(**changes: Any) -> ClientEvent:
    """A valid live impression, two seconds after its serve."""
    act = ClientEvent(
        kind=EventKind.IMPRESSION,
        reason=Reason.OK,
        client="c0ffee",
        slot_id="slot",
        ad_id="ad",
        surface=Surface.WEB,
        is_test=False,
        preview=False,
        issued_ms=0,
        at_ms=NOW_MS,
    )
    act = act._replace(**changes)
    return act if "issued_ms" in changes else act._replace(issued_ms=act.at_ms - 2_000)


def judged(acts: list[ClientEvent], limits: Limits = LIMITS) -> list[str]:
    window, found = Window(), []
    for act in acts:
        reason = judge_window(act, window, limits)
        record_event(act, reason, window, limits)
        found.append(reason.value)
    return found


def test_a_click_before_a_person_could_see_the_ad_is_too_fast() -> None:
    acts = [an_act(kind=CLICK, issued_ms=NOW_MS - after, ad_id=str(after)) for after in (299, 300)]
    assert judged(acts) == ["click_too_fast", "ok"]


def test_the_second_click_of_a_double_click_is_a_duplicate() -> None:
    acts = [an_act(kind=CLICK, at_ms=NOW_MS + after) for after in (0, 1_999, 3_998, 5_998)]
    assert judged(acts) == ["ok", "duplicate_click", "duplicate_click", "ok"]


@pytest.mark.parametrize("other", [{"client": "other"}, {"ad_id": "other"}])
def test_clicks_of_another_client_or_ad_are_not_double_clicks(
    other: dict[str, str],
) -> None:
    assert judged([an_act(kind=CLICK), an_act(kind=CLICK, **other)]) == ["ok", "ok"]


def test_more_events_in_a_minute_than_a_person_makes_exceed_the_rate() -> None:
    limits = Limits(max_impressions_per_minute=3)
    minute = [an_act(at_ms=NOW_MS // 60_000 * 60_000 + second * 1000) for second in range(5)]
    later = an_act(at_ms=minute[0].at_ms + 60_000)
    elsewhere = an_act(slot_id="other", at_ms=minute[4].at_ms)
    assert judged([*minute, later, elsewhere], limits) == [
        *["ok"] * 3,
        *["rate_exceeded"] * 2,
        *["ok"] * 2,
    ]


def test_clicks_and_impressions_have_rates_of_their_own() -> None:
    limits = Limits(max_impressions_per_minute=1, max_clicks_per_minute=1)
    acts = [an_act(), an_act(kind=CLICK), an_act(kind=CLICK, ad_id="other"), an_act()]
    assert judged(acts, limits) == ["ok", "ok", "rate_exceeded", "rate_exceeded"]


@pytest.mark.parametrize(
    "changes",
    [
        {"client": None},
        {"is_test": True, "reason": Reason.OK_TEST},
        {"preview": True},
        {"surface": Surface.AMP},
        {"surface": Surface.SERVER},
        {"reason": Reason.BOT_USER_AGENT},
        {"kind": QualitySignal.VIEWABLE},
    ],
)
def test_an_event_without_a_window_rule_keeps_its_reason(changes: dict[str, Any]) -> None:
    acts = [an_act(**{"kind": CLICK, "issued_ms": NOW_MS, **changes}) for _ in range(20)]
    assert set(judged(acts, Limits(max_clicks_per_minute=1))) == {acts[0].reason.value}


def test_the_third_mail_click_within_a_second_is_a_scanners() -> None:
    times = [0, 300, 600, 999, 5_000, 5_900]
    acts = [
        an_act(
            kind=CLICK, surface=Surface.EMAIL, issued_ms=0, at_ms=NOW_MS + at_ms, ad_id=str(at_ms)
        )
        for at_ms in times
    ]
    scanner = "mail_link_scanner"
    assert judged(acts) == ["ok", "ok", scanner, scanner, "ok", "ok"]


def test_a_mail_shown_to_many_behind_one_proxy_has_no_rate() -> None:
    acts = [an_act(surface=Surface.EMAIL) for _ in range(5)]
    assert set(judged(acts, Limits(max_impressions_per_minute=1))) == {"ok"}


def test_a_repeated_impression_is_a_duplicate_if_the_operator_sets_it() -> None:
    acts = [an_act(at_ms=NOW_MS + after) for after in (0, 99, 300)]
    assert judged(acts, Limits(impression_dedup_window_ms=100)) == [
        "ok",
        "duplicate_impression",
        "ok",
    ]
    assert judged(acts) == ["ok", "ok", "ok"]


def test_invalid_events_do_not_count_against_the_rate() -> None:
    limits = Limits(max_clicks_per_minute=1)
    too_fast = [an_act(kind=CLICK, issued_ms=NOW_MS) for _ in range(5)]
    assert judged([*too_fast, an_act(kind=CLICK)], limits)[-1] == "ok"


def test_an_event_with_limited_consent_keeps_its_reason() -> None:
    assert judged([an_act(reason=Reason.OK_CONSENT_LIMITED)]) == ["ok_consent_limited"]


def test_a_labelled_day_is_judged_as_labelled_and_again_the_same() -> None:
    rng = random.Random(7)
    acts: list[tuple[ClientEvent, str]] = []
    for number in range(3_000):
        at_ms = NOW_MS + number * 7_000
        ids = {"client": f"reader-{number % 500}", "ad_id": f"ad-{number}"}
        acts.append((an_act(at_ms=at_ms, **ids), "ok"))
        if rng.random() < 0.1:
            acts.append((an_act(kind=CLICK, at_ms=at_ms + 2_500, **ids), "ok"))
            if rng.random() < 0.3:
                acts.append((an_act(kind=CLICK, at_ms=at_ms + 2_700, **ids), "duplicate_click"))
        if rng.random() < 0.05:
            hasty = an_act(kind=CLICK, at_ms=at_ms, issued_ms=at_ms - 40, **ids)
            acts.append((hasty._replace(client=f"robot-{number}"), "click_too_fast"))
    start = NOW_MS // 60_000 * 60_000
    flood = [an_act(client="flood", at_ms=start + number * 100) for number in range(400)]
    acts += [(act, "ok" if place < 100 else "rate_exceeded") for place, act in enumerate(flood)]
    acts.sort(key=lambda one: one[0].at_ms)
    limits = Limits(max_impressions_per_minute=100)
    found = judged([act for act, _ in acts], limits)
    assert found == [label for _, label in acts]
    assert judged([act for act, _ in acts], limits) == found


def test_a_window_drops_events_that_no_rule_needs() -> None:
    window = Window()
    for number in range(1_000):
        at_ms = NOW_MS + number * 1_000
        for surface in (Surface.WEB, Surface.EMAIL):
            act = an_act(client=f"c{number}", at_ms=at_ms, kind=CLICK, surface=surface)
            record_event(act, judge_window(act, window), window)
    assert len(window.counts) <= 240
    assert len(window.clicks) <= 240
    assert 0 < len(window.mail_clicks) <= 240
