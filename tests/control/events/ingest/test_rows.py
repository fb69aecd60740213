"""Events are packed alike, whether by the source or by what was compiled of its like in C."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from common.tracking.record import encode_record
from common.values.enums import EventKind, QualitySignal, Reason
from control.events.ingest.parse import Parser
from control.events.ingest.parsed_records import ConversionEvent, Event
from control.events.ingest.rows import pack_rows
from control.ports.events import RawBatch, RawRecord
from tests.control.events.ingest.world import FACTS, Edge, World
from tests.support.by_source import load_source

_CONVERSION_ID = bytes(range(16))
_SOURCE = Path(__file__).parents[4] / "control" / "events" / "ingest" / "rows.py"


@pytest.fixture
def by_source() -> Callable[[Any, Any], bytes]:
    found: Callable[[Any, Any], bytes] = load_source(_SOURCE).pack_rows
    return found


def _read(world: World, edge: Edge, **changes: Any) -> Event:
    """As it is when it is put on the stage."""
    raw = encode_record(edge.event(**changes))
    parsed = Parser().parse([RawBatch(0, (RawRecord(1, raw),))], now_ms=world.clock.now_ms())
    (event,) = parsed.events
    event.reason, event.charged_micros = event.judged, event.foreseen_micros
    return event


def _read_many(world: World, edge: Edge) -> list[Event]:
    facts = FACTS
    nobody = type(facts)(None, None, None, None, None, None, prefetch=False)
    return [
        _read(world, edge),
        _read(world, edge, reason=Reason.BOT_USER_AGENT),
        _read(world, edge, reason=Reason.OK_LATE, facts=nobody, country="pt", device="mobile"),
        _read(world, edge, kind=QualitySignal.VIEWABLE, is_test=True),
        _read(world, edge, is_test=True, reason=Reason.OK_TEST, live_reason=Reason.OK),
        _read(world, edge, facts=replace(facts, user_agent_pattern=r"\bbot\b")),
        _read(world, edge, person="00ff" * 4, signs=5, lists_version="2026-11"),
        _read(
            world,
            edge,
            kind=EventKind.CONVERSION,
            value_cents=1234,
            currency="EUR",
            order_id="Bestellung Nº 7",
        ),
        _read(world, edge, kind=EventKind.CONVERSION, value_cents=0, order_id="1"),
        _attributed(_read(world, edge, kind=EventKind.CONVERSION, value_cents=5)),
    ]


def _attributed(event: Event) -> ConversionEvent:
    """An event whose id is that of its conversion, not one made of its token; its token key was asked for before."""
    assert event.token_key != _CONVERSION_ID
    read = {one.name: getattr(event, one.name) for one in fields(event) if one.init}
    return ConversionEvent(**read, own_id=_CONVERSION_ID)


async def test_rows_are_packed_alike(
    world: World, edge: Edge, by_source: Callable[[Any, Any], bytes]
) -> None:
    accounts = {world.property_id: world.account_id}
    events = _read_many(world, edge)

    packed = pack_rows(events, accounts)

    assert packed == by_source(events, accounts)
    assert len(packed) > len(events) * 200
    assert packed.count(_CONVERSION_ID) == 1


async def test_a_row_is_packed_alike_before_and_after_its_key_was_asked_for(
    world: World, edge: Edge
) -> None:
    accounts = {world.property_id: world.account_id}
    (event,) = _read_many(world, edge)[:1]
    before = pack_rows([event], accounts)

    assert event.token_key in before
    assert pack_rows([event], accounts) == before


async def test_nothing_to_pack_is_nothing(
    by_source: Callable[[Any, Any], bytes],
) -> None:
    assert pack_rows([], {}) == by_source([], {}) == b""


async def test_an_event_of_no_account_is_refused_alike(
    world: World, edge: Edge, by_source: Callable[[Any, Any], bytes]
) -> None:
    events = _read_many(world, edge)[:1]
    for pack in (pack_rows, by_source):
        with pytest.raises(KeyError):
            pack(events, {})


async def test_many_events_are_packed_alike(
    world: World, edge: Edge, by_source: Callable[[Any, Any], bytes]
) -> None:
    accounts = {world.property_id: "a long account " * 100}
    events = _read_many(world, edge) * 50
    assert pack_rows(events, accounts) == by_source(events, accounts)
