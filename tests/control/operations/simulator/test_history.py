"""The simulated past of an account: the same every time, in order, and acceptable to ingest."""

from collections import Counter
from itertools import pairwise

import pytest

from common.tracking.event import EventRecord, LogRecord, WriterId
from common.values.enums import EventKind
from control.events.ingest.record_validation import find_fault
from control.operations.simulator.audience import Timed
from control.operations.simulator.history import DAY_MS, history
from control.operations.simulator.scenario import HOUR_MS, read_scenario
from control.operations.simulator.world import make_world

_SCENARIO = read_scenario("days")
_WORLD = make_world(_SCENARIO)
_UNTIL_MS = _SCENARIO.end_ms - HOUR_MS // 2


@pytest.fixture(scope="module")
def days() -> list[list[Timed]]:
    return [list(day) for day in history(_SCENARIO, _WORLD, _UNTIL_MS)]


def events_of(days: list[list[Timed]]) -> list[EventRecord]:
    return [body for day in days for _, body in day if isinstance(body, EventRecord)]


def test_the_same_scenario_gives_the_same_history(days: list[list[Timed]]) -> None:
    assert [list(day) for day in history(_SCENARIO, _WORLD, _UNTIL_MS)] == days


def test_each_day_has_its_own_records_in_order_and_none_after_the_end(
    days: list[list[Timed]],
) -> None:
    first = _SCENARIO.start_ms // DAY_MS
    for number, day in enumerate(days):
        instants = [at_ms for at_ms, _ in day]
        assert all(before <= after for before, after in pairwise(instants))
        assert {at_ms // DAY_MS for at_ms in instants} == {first + number}
    assert days[-1][-1][0] < _UNTIL_MS


def test_ingest_finds_no_fault_with_any_record(days: list[list[Timed]]) -> None:
    writer = WriterId("sample", "0" * 32)
    records = [LogRecord(writer, 1, b"", body) for day in days for _, body in day]

    assert {find_fault(record, _UNTIL_MS) for record in records} == {None}


def test_valid_impressions_stay_within_each_budget(days: list[list[Timed]]) -> None:
    spent: Counter[str] = Counter()
    for event in events_of(days):
        if event.kind is EventKind.IMPRESSION and event.reason.valid:
            spent[str(event.campaign_id)] += event.price_micros

    assert spent
    for order in _WORLD.orders:
        assert order.campaign.budget
        assert spent[order.campaign.id] <= (order.campaign.budget.total_micros or 0)


def test_some_of_the_traffic_is_invalid_and_some_of_it_clicks(days: list[list[Timed]]) -> None:
    events = events_of(days)
    kinds = Counter(event.kind for event in events)
    invalid = sum(not event.reason.valid for event in events)

    assert kinds[EventKind.CLICK]
    assert 0.01 < invalid / len(events) < 0.1
