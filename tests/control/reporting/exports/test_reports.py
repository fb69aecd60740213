"""Reports as files: the rows that the report answers with, and typed."""

import csv
import io
from typing import Any

import orjson
import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import text

from common.values.clock import to_iso
from common.values.enums import EventKind
from common.values.environment import Environment
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.exports.conftest import Exporter
from tests.support.control_api import ControlApi, Person

ASKED: dict[str, Any] = {
    "kind": "report",
    "granularity": "day",
    "group_by": ["campaign", "country"],
    "metrics": ["requests", "impressions", "clicks", "ctr", "spend_cents"],
}


@pytest.fixture(autouse=True)
async def sold(world: World, edge: Edge) -> str:
    """A campaign with a name that a spreadsheet would run, and some events."""
    campaign = await world.add_campaign()
    async with world.database.service() as session:
        rename = "update campaigns set name = '=HYPERLINK(\"x\")' where id = :id"
        await session.execute(text(rename), {"id": campaign})
    await world.ingest(
        [
            edge.event(campaign, country="br", price_micros=20_000),
            edge.event(campaign, country="pt", price_micros=20_000),
            edge.event(campaign, country="br", kind=EventKind.CLICK, price_micros=0),
        ]
    )
    return campaign


async def rows_of_the_report(exporter: Exporter) -> list[dict[str, Any]]:
    export = (await exporter.post(**ASKED)).json()["question"]
    query = {
        "environment": "live",
        **{name: export[name] for name in ("from", "to", "tz", "granularity")},
        **{name: ",".join(export[name]) for name in ("group_by", "metrics")},
    }
    answer = await exporter.api.http.get(
        "/v1/reports/delivery", params=query, headers=exporter.headers
    )
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def test_every_row_of_the_report_is_in_the_file(exporter: Exporter) -> None:
    rows = await rows_of_the_report(exporter)

    export = await exporter.made(**ASKED, format="ndjson")
    file = await exporter.download(export)

    assert (export["status"], export["rows"]) == ("ready", len(rows))
    assert [orjson.loads(line) for line in file.content.splitlines()] == rows
    assert {row["country"]: row["clicks"] for row in rows} == {"BR": 1, "PT": 0}


async def test_names_are_disarmed_in_csv_and_left_alone_elsewhere(
    exporter: Exporter, sold: str
) -> None:
    as_csv = await exporter.download(await exporter.made(**ASKED))
    as_parquet = await exporter.download(await exporter.made(**ASKED, format="parquet"))

    first = next(csv.DictReader(io.StringIO(as_csv.text, newline="")))
    assert (first["campaign_id"], first["campaign_name"]) == (sold, '\'=HYPERLINK("x")')
    table = parquet.read_table(io.BytesIO(as_parquet.content))
    assert set(table.column("campaign_name").to_pylist()) == {'=HYPERLINK("x")'}


async def test_parquet_has_the_types_of_the_figures(exporter: Exporter) -> None:
    rows = await rows_of_the_report(exporter)
    file = await exporter.download(await exporter.made(**ASKED, format="parquet"))
    table = parquet.read_table(io.BytesIO(file.content))

    assert {field.name: field.type for field in table.schema} == {
        "period": pa.timestamp("ms", tz="UTC"),
        "campaign_id": pa.string(),
        "campaign_name": pa.string(),
        "country": pa.string(),
        "requests": pa.int64(),
        "impressions": pa.int64(),
        "clicks": pa.int64(),
        "ctr": pa.float64(),
        "spend_cents": pa.int64(),
    }
    shown = [row | {"period": to_iso(row["period"])} for row in table.to_pylist()]
    assert shown == rows


async def test_a_key_s_report_is_of_its_property(
    api: ControlApi, person: Person, world: World
) -> None:
    key = await api.add_key(person, environment=Environment.LIVE, property_id=world.property_id)
    other = await api.add_key(person, environment=Environment.LIVE)
    counts = []
    for made in (key, other):
        caller = Exporter(api, made.headers, environment=None)
        file = await caller.download(await caller.made(kind="report", format="ndjson"))
        counts += [orjson.loads(line)["impressions"] for line in file.content.splitlines()]

    assert counts == [2]
