"""A campaign's life, its terms taken together, and what it asks of an edge."""

from datetime import timedelta
from typing import Any

import pytest

from common.values.errors import Refused
from control.demand.campaigns import rules
from control.outbox.objects import campaign_of
from control.outbox.requirements import campaign_requirements
from tests.support.rows import NOW, a_campaign_row

LATER = NOW + timedelta(days=1)
EARLIER = NOW - timedelta(days=1)


@pytest.mark.parametrize(
    ("status", "verb", "expected"),
    [
        ("draft", "activate", "active"),
        ("active", "pause", "paused"),
        ("paused", "resume", "active"),
        ("paused", "activate", "active"),
        ("completed", "archive", "archived"),
        ("active", "archive", "archived"),
    ],
)
def test_a_verb_changes_the_status(status: str, verb: str, expected: str) -> None:
    assert rules.status_after(a_campaign_row(status=status), verb, NOW) == expected


@pytest.mark.parametrize(
    ("status", "verb", "allowed"),
    [
        ("draft", "pause", ["activate", "archive"]),
        ("active", "activate", ["pause", "archive"]),
        ("completed", "resume", ["archive"]),
        ("archived", "archive", []),
        ("rejected", "activate", ["archive"]),
    ],
)
def test_a_refused_verb_lists_the_allowed_ones(status: str, verb: str, allowed: list[str]) -> None:
    with pytest.raises(Refused) as caught:
        rules.status_after(a_campaign_row(status=status), verb, NOW)

    assert (caught.value.status, caught.value.code) == (409, "invalid_state")
    assert [detail.code for detail in caught.value.details] == allowed


@pytest.mark.parametrize(
    ("status", "verb", "allowed"),
    [
        ("draft", "activate", ["archive"]),
        ("paused", "resume", ["archive"]),
        ("pending_review", "approve", ["reject", "archive"]),
    ],
)
def test_a_campaign_whose_flight_is_over_cannot_start(
    status: str, verb: str, allowed: list[str]
) -> None:
    with pytest.raises(Refused) as caught:
        rules.status_after(a_campaign_row(status=status, end_at=NOW), verb, NOW)

    assert caught.value.param == "end_at"
    assert [detail.code for detail in caught.value.details] == allowed


@pytest.mark.parametrize(
    ("columns", "params"),
    [
        ({"start_at": LATER, "end_at": NOW}, ["end_at"]),
        ({"start_at": NOW, "end_at": NOW}, ["end_at"]),
        ({"pricing_model": "flat_rate"}, ["start_at", "end_at"]),
        ({"share_of_voice_percent": 10}, ["share_of_voice_percent"]),
        ({"budget_total_cents": 10, "budget_daily_cents": 11}, ["budget.daily_cents"]),
        (
            {"share_of_voice_percent": 10, "pricing_model": "flat_rate", "start_at": NOW},
            ["end_at", "share_of_voice_percent"],
        ),
    ],
)
def test_terms_that_do_not_fit_together_are_all_named(
    columns: dict[str, Any], params: list[str]
) -> None:
    with pytest.raises(Refused) as caught:
        rules.check_terms(a_campaign_row(**columns))

    assert [detail.param for detail in caught.value.details] == params


def test_terms_that_fit_together_pass() -> None:
    rules.check_terms(
        a_campaign_row(
            pricing_model="flat_rate",
            start_at=NOW,
            end_at=LATER,
            priority="sponsorship",
            share_of_voice_percent=100,
            budget_total_cents=10,
            budget_daily_cents=10,
        )
    )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, ()),
        ({"budget_daily_cents": 5}, ("budget",)),
        ({"budget_total_cents": 5}, ("budget",)),
        ({"goal": {"kind": "clicks", "total": 5}}, ("goal",)),
        ({"priority": "sponsorship", "share_of_voice_percent": 5}, ("share_of_voice",)),
        ({"frequency_caps": [{"limit": 1}]}, ("frequency_cap",)),
        ({"pricing_model": "flat_rate"}, ("flat_rate",)),
        ({"targeting": {"languages": ["pt"], "geo": {}}}, ("targeting.geo", "targeting.languages")),
    ],
)
def test_requires_names_what_an_edge_must_honour(
    columns: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert campaign_requirements(a_campaign_row(**columns)) == expected


@pytest.mark.parametrize(
    ("columns", "spent_micros", "counted", "expected"),
    [
        ({"end_at": LATER}, 0, 0, True),
        ({"end_at": None}, 0, 0, True),
        ({"end_at": EARLIER}, 0, 0, False),
        ({"budget_total_cents": 100}, 1_000_000, 0, False),
        ({"budget_total_cents": 101}, 1_000_000, 0, True),
        ({"budget_total_cents": 1}, 8_001, 0, False),
        ({"budget_total_cents": 1}, 8_000, 0, True),
        ({"budget_total_cents": 1, "bid_cents": 199}, 8_001, 0, True),
        ({"goal": {"kind": "clicks", "total": 5}}, 0, 5, False),
        ({"goal": {"kind": "clicks", "total": 6}}, 0, 5, True),
        ({"status": "paused", "end_at": LATER}, 0, 0, False),
    ],
)
def test_a_completed_campaign_reopens_when_time_budget_and_goal_are_ahead(
    columns: dict[str, Any], spent_micros: int, counted: int, *, expected: bool
) -> None:
    row = a_campaign_row(**({"status": "completed"} | columns))

    assert rules.reopens(row, spent_micros=spent_micros, counted=counted, now=NOW) is expected


@pytest.mark.parametrize(("bid_cents", "spent"), [(300, True), (100, False)])
def test_edges_receive_a_budget_that_pays_for_no_impression_as_spent(
    bid_cents: int, *, spent: bool
) -> None:
    found = campaign_of(a_campaign_row(budget_total_cents=1, bid_cents=bid_cents), 9_000)

    assert found is not None
    assert found.spent is spent


def test_an_archived_campaign_stays_as_it_is() -> None:
    with pytest.raises(Refused, match="archived"):
        rules.check_editable(a_campaign_row(status="archived"))
