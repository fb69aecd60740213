"""The attribution rule against a slow one that looks at everything, and the pace at which a conversion is retried."""

import random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from common.tracking.attribution import (
    HELD_FOR_MS,
    HOUR_MS,
    Attributed,
    Terms,
    Touch,
    attribute,
    next_try_ms,
)
from common.values.enums import Attribution

NOW_MS = 1_800_000_000_000
NAMES = ("purchase", "lead", "signup")
CAMPAIGNS = ("a", "b", "c", "unknown")

hours = st.integers(0, 4)
touches = st.lists(
    st.builds(
        Touch,
        st.integers(0, 5).map(lambda number: UUID(int=number)),
        st.sampled_from(CAMPAIGNS),
        st.integers(-30, 6).map(lambda tenths: NOW_MS + tenths * HOUR_MS // 10),
    ),
    max_size=8,
)
some_terms = st.dictionaries(
    st.sampled_from(CAMPAIGNS[:3]),
    st.builds(
        Terms,
        hours.map(lambda number: number * HOUR_MS),
        hours.map(lambda number: number * HOUR_MS),
        st.frozensets(st.sampled_from(NAMES)),
    ),
)


def by_looking_at_everything(
    event_name: str, clicks: list[Touch], views: list[Touch], terms: dict[str, Terms]
) -> Attributed | None:
    """Every touch and every other one: the one that no other beats."""
    found = []
    for kind, some in ((Attribution.CLICK_THROUGH, clicks), (Attribution.VIEW_THROUGH, views)):
        for touch in some:
            of_campaign = terms.get(touch.campaign_id) or Terms()
            if kind is Attribution.CLICK_THROUGH:
                first_ms = NOW_MS - of_campaign.click_window_ms
            else:
                first_ms = NOW_MS - of_campaign.view_window_ms
            named = of_campaign.event_names
            if first_ms < touch.at_ms <= NOW_MS and (len(named) == 0 or event_name in named):
                found.append(
                    (kind == Attribution.CLICK_THROUGH, touch.at_ms, touch.token_id, touch, kind)
                )
    best = [one for one in found if not any(other[:3] > one[:3] for other in found)]
    return Attributed(best[0][3], best[0][4]) if best else None


@given(st.sampled_from(NAMES), touches, touches, some_terms)
def test_attribution_agrees_with_an_exhaustive_search(
    event_name: str, clicks: list[Touch], views: list[Touch], terms: dict[str, Terms]
) -> None:
    found = attribute(event_name, NOW_MS, clicks=clicks, views=views, terms=terms)
    expected = by_looking_at_everything(event_name, clicks, views, terms)
    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert found.attribution is expected.attribution
        assert (found.touch.at_ms, found.touch.token_id) == (
            expected.touch.at_ms,
            expected.touch.token_id,
        )


@given(touches, touches, some_terms, st.randoms(use_true_random=False))
def test_the_order_of_touches_does_not_matter(
    clicks: list[Touch], views: list[Touch], terms: dict[str, Terms], dice: random.Random
) -> None:
    unique = {(one.at_ms, one.token_id): one for one in clicks}
    clicks = list(unique.values())
    first = attribute("lead", NOW_MS, clicks=clicks, views=(), terms=terms)
    dice.shuffle(clicks)
    assert attribute("lead", NOW_MS, clicks=clicks, views=(), terms=terms) == first
    kinds = {
        one.attribution
        for one in (first, attribute("lead", NOW_MS, clicks=clicks, views=views, terms=terms))
        if one is not None and first is not None
    }
    assert kinds <= {Attribution.CLICK_THROUGH}


@given(touches, some_terms)
def test_only_the_last_touch_of_each_campaign_can_win(
    clicks: list[Touch], terms: dict[str, Terms]
) -> None:
    before = [one for one in clicks if one.at_ms <= NOW_MS]
    last: dict[str, Touch] = {}
    for one in sorted(before, key=lambda one: (one.at_ms, one.token_id)):
        last[one.campaign_id] = one
    found = [
        attribute("lead", NOW_MS, clicks=some, views=(), terms=terms)
        for some in (before, last.values())
    ]
    places = [one and (one.touch.at_ms, one.touch.token_id) for one in found]
    assert places[0] == places[1]


def test_capitals_in_an_event_name_do_not_matter() -> None:
    terms = Terms(event_names=frozenset({"purchase"}))
    assert (terms.take("Purchase"), terms.take("PURCHASE"), terms.take("lead")) == (
        True,
        True,
        False,
    )


def test_a_view_window_of_zero_counts_no_view() -> None:
    view = Touch(UUID(int=1), "a", NOW_MS)
    terms = {"a": Terms(view_window_ms=0)}
    assert attribute("lead", NOW_MS, clicks=(), views=[view], terms=terms) is None


def test_a_waiting_conversion_is_retried_until_its_hour_is_over() -> None:
    now_ms, tries = NOW_MS, 0
    while (then_ms := next_try_ms(NOW_MS, now_ms)) is not None:
        assert now_ms < then_ms <= NOW_MS + HELD_FOR_MS
        now_ms, tries = then_ms, tries + 1
    assert (now_ms, tries) == (NOW_MS + HELD_FOR_MS, 13)


def test_a_clock_that_was_set_back_makes_no_conversion_wait_longer() -> None:
    assert next_try_ms(NOW_MS, NOW_MS - 5_000) == NOW_MS - 4_000
