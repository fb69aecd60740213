"""Records are found by their bytes alike, whether by the source or by what was compiled of its like in C."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.tracking.record import encode_record
from common.values.enums import Reason
from control.events.ingest.scan import scan
from tests.control.events.ingest.world import FACTS, Edge, World, an_event
from tests.support.by_source import load_source

_SOURCE = Path(__file__).parents[4] / "control" / "events" / "ingest" / "scan.py"
_PIECES = (
    b"null",
    b'"',
    b"\\",
    b"0",
    b"7",
    b",",
    b"}",
    b"",
    b" ",
    b"\xc3\xa9",
    b"\n",
    b"true",
    b"_",
)


@pytest.fixture
def by_source() -> Callable[[bytes], Any]:
    found: Callable[[bytes], Any] = load_source(_SOURCE).scan
    return found


@pytest.fixture
def raws(edge: Edge) -> list[bytes]:
    usual = edge.event()
    reader = edge.event(country="de", device="mobile", person="00112233445566ff", signs=5)
    robot = edge.event(
        facts=replace(FACTS, user_agent_pattern=r'AP3A\.240617\.008|"\\'), live_reason=Reason.OK
    )
    mail = edge.event(held_until_day=20_850)
    older = encode_record(usual).replace(b',"user_agent_pattern":null', b"")
    older = older.replace(b',"live_reason":null', b"")
    return [older, *(encode_record(one) for one in (usual, reader, robot, mail))]


def test_the_scanned_records_are_those_written(world: World, edge: Edge) -> None:
    body = an_event(world, person="00112233445566ff", country="de")
    record = edge.wrap(body)
    found = scan(encode_record(record))

    assert found is not None
    _, sequence, alike, token, issued_ms, at_ms, snapshot, network, agent, client, *who = found
    reader, person = who
    assert (sequence, token, person) == (
        record.sequence,
        body.token_id.bytes,
        bytes.fromhex("00112233445566ff"),
    )
    assert (issued_ms, at_ms, snapshot) == (body.issued_ms, body.at_ms, body.snapshot_version)
    assert (network, client) == (b"203.0.113.0/24", body.facts.client_hash)
    assert reader == b'"country":"de","device":null'
    assert agent == (
        b'"user_agent_family":"Firefox","user_agent_major":"140","user_agent_pattern":null'
    )
    assert str(body.campaign_id).encode() in alike


def test_records_of_this_edge_and_of_older_ones_are_all_found(raws: list[bytes]) -> None:
    assert all(scan(raw) is not None for raw in raws)


def test_a_damaged_record_is_found_to_be_the_same_by_either(
    raws: list[bytes], by_source: Callable[[bytes], Any]
) -> None:
    rng = random.Random(7)
    found = 0
    for _ in range(20_000):
        raw = bytearray(rng.choice(raws))
        place = rng.randrange(len(raw))
        raw[place : place + rng.randrange(4)] = rng.choice(_PIECES)
        scanned = scan(bytes(raw))
        assert scanned == by_source(bytes(raw)), bytes(raw)
        found += scanned is not None
    assert 0 < found < 20_000
