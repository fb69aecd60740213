"""What is in an exported file: the events of the feed, in each format."""

import csv
import hashlib
import io
from datetime import UTC, datetime
from typing import Any

import orjson
import pyarrow as pa
import pytest
from pyarrow import parquet

from common.values.clock import from_ms, to_iso
from common.values.enums import EventKind, Reason
from control.events.events_api.schemas import EventPublic
from control.reporting.exports.events import COLUMNS
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.exports.conftest import Exporter
from tests.support.control_api import ControlApi, Person


@pytest.fixture
def reader(api: ControlApi, person: Person) -> Reader:
    return Reader(api, person.headers)


async def test_ndjson_holds_what_the_feed_shows_in_the_feeds_order(
    exporter: Exporter, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK)])
    order = edge.event(kind=EventKind.CONVERSION, value_cents=1250, currency="EUR")
    await world.ingest([order, edge.event(reason=Reason.PREFETCH)])
    feed = (await reader.get(cursor="earliest"))["data"]

    export = await exporter.made(format="ndjson")
    file = await exporter.download(export)

    assert (export["status"], export["progress_percent"], export["rows"]) == ("ready", 100, 4)
    rows = [orjson.loads(line) for line in file.content.splitlines()]
    assert [_of_the_feed(row) for row in rows] == feed


async def test_events_have_their_place_and_their_cost(
    exporter: Exporter, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    free = edge.event(campaign, kind=EventKind.CLICK)
    await world.ingest([edge.event(campaign, country="br", device="mobile"), free])

    file = await exporter.download(await exporter.made(format="ndjson"))

    rows = {row["kind"]: row for row in map(orjson.loads, file.content.splitlines())}
    beside = ("country", "device", "price_micros", "charged_micros", "account_currency")
    price = rows["impression"]["price_micros"]
    assert price > 0
    assert [rows["impression"][name] for name in beside] == ["BR", "mobile", price, price, "USD"]
    assert [rows["click"][name] for name in beside] == [None, None, price, 0, "USD"]


async def test_csv_has_a_header_and_ends_its_lines_as_rfc_4180_says(
    exporter: Exporter, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(kind=EventKind.CONVERSION, value_cents=7)])
    feed = (await reader.get(cursor="earliest"))["data"]

    file = await exporter.download(await exporter.made())

    assert file.content.count(b"\r\n") == file.content.count(b"\n") == 3
    header, *rows = csv.reader(io.StringIO(file.text, newline=""))
    assert header == [column.name for column in COLUMNS]
    assert header[: len(feed[0])] == list(feed[0])
    assert [row[: len(feed[0])] for row in rows] == [
        [_shown(value) for value in event.values()] for event in feed
    ]


async def test_parquet_has_typed_columns_in_row_groups(
    exporter: Exporter, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(kind=EventKind.CONVERSION, value_cents=7)])
    feed = (await reader.get(cursor="earliest"))["data"]

    export = await exporter.made(format="parquet")
    file = await exporter.download(export)
    table = parquet.read_table(io.BytesIO(file.content))

    types = {field.name: field.type for field in table.schema}
    assert types["id"] == types["reason"] == pa.string()
    assert types["ts"] == pa.timestamp("ms", tz="UTC")
    assert types["value_cents"] == pa.int64()
    assert types["valid"] == pa.bool_()
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    requested = export["question"]
    assert metadata["placard.currency"] == "USD"
    assert [metadata[f"placard.{name}"] for name in ("from", "to", "timezone")] == [
        requested["from"],
        requested["to"],
        requested["tz"],
    ]
    shown = [row | {"ts": to_iso(row["ts"].astimezone(UTC))} for row in table.to_pylist()]
    assert [_of_the_feed(row) for row in shown] == feed


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
async def test_an_export_of_nothing_is_a_good_file(exporter: Exporter, form: str) -> None:
    export = await exporter.made(format=form)
    file = (await exporter.download(export)).content

    assert (export["rows"], export["bytes"]) == (0, len(file))
    if form == "parquet":
        assert parquet.read_table(io.BytesIO(file)).num_rows == 0
    else:
        assert len(file.splitlines()) == (1 if form == "csv" else 0)


async def test_length_and_digest_are_of_the_file(
    exporter: Exporter, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(20)])

    export = await exporter.made(format="parquet")
    file = (await exporter.download(export)).content

    assert export["bytes"] == len(file)
    assert export["sha256"] == hashlib.sha256(file).hexdigest()


async def test_filters_narrow(exporter: Exporter, world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    await world.ingest(
        [
            edge.event(campaign, country="br", device="mobile"),
            edge.event(kind=EventKind.CLICK),
            edge.event(reason=Reason.PREFETCH),
            edge.event(is_test=True, reason=Reason.OK_TEST),
        ]
    )
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 3),
        ({"property_id": [world.property_id]}, 3),
        ({"campaign_id": [campaign]}, 1),
        ({"ad_format": ["banner", "html"]}, 3),
        ({"ad_format": ["audio"]}, 0),
        ({"reason": ["prefetch"], "surface": ["web"]}, 1),
        ({"source": ["auction"]}, 3),
        ({"country": ["br"]}, 1),
        ({"device": ["mobile", "tv"]}, 1),
        ({"event": ["click"]}, 1),
        ({"event": ["impression", "click"]}, 3),
        ({"valid": True}, 2),
        ({"valid": False}, 1),
    ]
    for requested, count in cases:
        assert (await exporter.made(**requested))["rows"] == count, requested
    test = Exporter(exporter.api, exporter.headers, environment="test")
    assert (await test.made())["rows"] == 1


async def test_ends_are_half_open_and_days_are_of_the_zone(
    exporter: Exporter, world: World, edge: Edge
) -> None:
    midnight = datetime.combine(world.clock.now().date(), datetime.min.time(), UTC)
    in_tokyo = midnight.timestamp() * 1000 - 9 * 3_600_000  # where the same day begins
    before, first, last = (int(in_tokyo) + ms for ms in (-1, 0, 86_400_000 - 1))
    await world.ingest([edge.event(at_ms=at, issued_ms=at) for at in (before, first, last)])
    day, next_day = (
        from_ms(int(midnight.timestamp() * 1000) + ms).date().isoformat() for ms in (0, 86_400_000)
    )

    of_the_day = await exporter.made(**{"from": day, "to": next_day, "tz": "Asia/Tokyo"})
    by_instants = await exporter.made(
        **{"from": to_iso(from_ms(before)), "to": to_iso(from_ms(first))}
    )

    assert (of_the_day["rows"], by_instants["rows"]) == (2, 1)


async def test_the_feed_continues_after_the_last_row(
    exporter: Exporter, reader: Reader, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event() for _ in range(3)])
    file = await exporter.download(await exporter.made(format="ndjson"))
    await world.ingest([edge.event() for _ in range(2)])

    exported = [orjson.loads(line)["id"] for line in file.content.splitlines()]
    following, _ = await reader.drain(exported[-1])

    everything, _ = await reader.drain()
    assert exported + following == everything


def _of_the_feed(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in EventPublic.model_fields}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
