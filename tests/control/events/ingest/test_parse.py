"""Events are read without a model where one like them was met before: what comes out is what the models say."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import orjson
import pytest

from common.tracking.record import encode_record
from common.values.enums import EventKind, Reason
from control.events.ingest.parse import Parser
from control.events.ingest.parsed_records import Event, Parsed
from control.ports.events import RawBatch, RawRecord
from tests.control.events.ingest.world import Edge, World, an_event

Change = Callable[[dict[str, Any]], object]


def parse(parser: Parser, raw: bytes, now_ms: int) -> Parsed:
    return parser.parse([RawBatch(0, (RawRecord(7, raw),))], now_ms=now_ms)


def seen(parsed: Parsed) -> tuple[list[dict[str, Any]], list[str]]:
    rows = [
        {one.name: getattr(event, one.name) for one in fields(Event)} for event in parsed.events
    ]
    return rows, [letter.reason for letter in parsed.dead]


@pytest.fixture
def raw(edge: Edge, world: World) -> bytes:
    return encode_record(edge.wrap(an_event(world)))


@pytest.fixture
def parser(raw: bytes, world: World) -> Parser:
    """Has met an event like *raw*."""
    parser = Parser()
    assert len(parse(parser, raw, world.clock.now_ms()).events) == 1
    return parser


def test_records_with_cached_parts_are_read_as_the_models_read_them(
    parser: Parser, raw: bytes, world: World
) -> None:
    now_ms = world.clock.now_ms()
    assert seen(parse(parser, raw, now_ms)) == seen(parse(Parser(), raw, now_ms))


@pytest.mark.parametrize(
    "change",
    [
        *[
            lambda body, name=name, value=value: body.update({name: value})
            for name, values in {
                "token_id": (5, None, "", "x" * 36, "0192F0C1-0000-7000-8000-00000000000A", [1]),
                "issued_ms": (True, "1", 1.5, None, -1, 10**15, 0),
                "at_ms": (False, "1", 1.5, None, -1, 10**15, {}),
                "snapshot_version": (-1, 2**63, "7", None, 1.5, True),
                "value_cents": (5, -1, "5", 2**63),
                "currency": ("EUR", "", 5),
                "order_id": ("o-1", "a\0b", "x" * 301),
                "is_test": (1, 0, "yes", None, []),
                "country": ("de", "DE", "", "deu", 5, "d\0"),
                "device": ("mobile", "phone", "", 5, []),
                "person": ("00112233445566ff", "00112233445566FF", "0011", "", 5),
                "price_micros": (2**63, -1, 1000.0, "1000", None),
                "kind": ("other", None, {}),
                "reason": ("ok", "nonsense"),
                "live_reason": ("ok", "bot_user_agent", "nonsense", 5),
                "property_id": ("nonsense", None),
                "facts": (None, [], {}, {"client_hash": "c"}),
                "unknown": (1,),
            }.items()
            for value in values
        ],
        lambda body: body["facts"].update(client_hash=5),
        lambda body: body["facts"].update(client_hash=None),
        lambda body: body["facts"].update(user_agent_family=None, user_agent_major="9" * 500),
        lambda body: body["facts"].update(user_agent_pattern='"a\\.b"'),
        lambda body: body["facts"].update(user_agent_pattern="\0é"),
        lambda body: body["facts"].pop("user_agent_pattern"),
        lambda body: body.pop("live_reason"),
        lambda body: body["facts"].pop("prefetch"),
        lambda body: body.pop("token_id"),
        lambda body: body.pop("reason"),
        lambda body: body.clear(),
    ],
)
def test_unusual_records_are_read_or_refused_as_by_the_models(
    parser: Parser, raw: bytes, world: World, change: Change
) -> None:
    values = orjson.loads(raw)
    change(values["body"])
    changed, now_ms = _encode(values), world.clock.now_ms()
    assert seen(parse(parser, changed, now_ms)) == seen(parse(Parser(), changed, now_ms))


FRAMES: dict[str, tuple[Any, ...]] = {
    "seq": (0, -1, 2**63, True, "3", 1.5, None),
    "edge": ("", "other", None, 5, []),
    "boot": ("", "short", None),
    "v": (2, "1", None),
    "t": ("counter", "decision", "other", None),
    "body": (None, []),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in FRAMES.items() for value in values]
)
def test_an_unusual_frame_is_read_or_refused_as_the_models_do(
    parser: Parser, raw: bytes, world: World, name: str, value: object
) -> None:
    changed, now_ms = _encode(orjson.loads(raw) | {name: value}), world.clock.now_ms()
    assert seen(parse(parser, changed, now_ms)) == seen(parse(Parser(), changed, now_ms))


def test_an_event_that_is_too_old_is_refused_despite_cached_parts(
    parser: Parser, world: World, raw: bytes
) -> None:
    parsed = parse(parser, raw, world.clock.now_ms() + 41 * 86_400_000)
    assert (parsed.events, len(parsed.dead)) == ([], 1)


def test_an_event_from_the_future_is_refused_despite_cached_parts(
    parser: Parser, world: World, raw: bytes
) -> None:
    """Of a token, or an edge, whose clock is wrong by more than a day: no partition would hold its keys."""
    parsed = parse(parser, raw, world.clock.now_ms() - 86_500_000)
    (letter,) = parsed.dead
    assert (parsed.events, letter.reason.startswith("from the future")) == ([], True)


def test_each_verdict_and_kind_is_its_own(world: World, edge: Edge) -> None:
    parser, body = Parser(), an_event(world)
    others = [
        body,
        replace(body, reason=Reason.BOT_USER_AGENT),
        replace(body, kind=EventKind.CLICK),
    ]
    raws = [encode_record(edge.wrap(one)) for one in others * 2]
    parsed = parser.parse(
        [RawBatch(0, tuple(RawRecord(place, raw) for place, raw in enumerate(raws)))],
        now_ms=world.clock.now_ms(),
    )
    found = [(one.shared_fields.kind, one.judged, one.valid) for one in parsed.events]
    assert found == [(one.kind, one.reason, one.reason.valid) for one in others] * 2


def _encode(values: dict[str, Any]) -> bytes:
    return orjson.dumps(values)
