"""
``python -m loadtests.measure.event_store [EVENTS]``: what an event costs PostgreSQL in each table, and ClickHouse.

Batches fill the staging table of ingest; then each table is written by a statement of its own, whose time is measured
in a connection without other work. Bytes include indexes. ClickHouse is the engine of the package ``chdb``, which is
not among the project's own: ``pip install --target FOLDER chdb`` and ``PYTHONPATH=FOLDER``.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg
import orjson

from control.events.ingest import write_aggregates as written
from control.events.ingest.staging_table import _COLUMNS, _MAKE
from control.storage.migrate import migrate
from deploy.standalone.postgres import Postgres

_EVENTS, _BATCH = 200_000, 5_000
_ONE = """
select gen_random_uuid(), gen_random_uuid(), now() - random() * interval '2 hours', now() - interval '3 hours', 1000,
    1, true, 1, 'ok', null, null, null, null, (array['br','de','us','fr'])[1 + cast(floor(4 * random() ^ 2) as int)],
    (array['mobile','desktop'])[1 + cast(floor(2 * random()) as int)], null, cast('203.0.113.0/24' as cidr),
    substr(decode(md5(cast(random() as text)), 'hex'), 1, 8), 'Firefox', '140', null, 'account', p, s, a, c, false,
    false, 1000, case when random() < 0.03 then 'click' else 'impression' end, 'auction', 'web', 'banner', 'cpm', null,
    null, 0, null
from (select cast(md5('p' || slot / 5) as uuid) p, cast(md5('s' || slot) as uuid) s, cast(md5('a' || number) as uuid) a,
    cast(md5('c' || number) as uuid) c
    from (select cast(floor(20 * random()) as int) slot, least(199, cast(floor(-ln(1 - random()) / 0.03) as int)) number
        from generate_series(1, $1)) drawn) named
"""
"""Few hours, ads, countries and devices have most of the traffic, as in `loadtests.bench.ingest_world`."""
_STEPS = {
    "event_keys": "insert into event_keys (token_day, key) "
    "select current_date, uuid_send(token_id) from event_stage order by 2",
    "events": written._ROWS.replace(":today", "current_date"),
    "event_hourly": written._HOURS,
    "ad_counts": written._ADS,
    "ad_slot_counts": written._AD_SLOTS,
    "click_touches": written._CLICKS,
}
_SIZE = (
    "select coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(cast($1 as text)::regclass)), "
    "pg_total_relation_size(cast($1 as text)::regclass))"
)


async def _postgres(url: str, events: int, csv: Path) -> dict[str, dict[str, float]]:
    await migrate(url)
    connection = await asyncpg.connect(url)
    used: dict[str, float] = defaultdict(float)
    source = await asyncpg.connect(url)
    await source.execute("set role placard_service")
    await source.execute(_MAKE.replace("on commit delete rows", ""))
    await source.execute(f"insert into event_stage {_ONE}", events)
    await source.copy_from_query("select * from event_stage", output=csv, format="csv")
    await connection.execute("set role placard_service")
    await connection.execute(_MAKE)
    for _ in range(events // _BATCH):
        async with connection.transaction():
            await connection.execute(f"insert into event_stage {_ONE}", _BATCH)
            for name, statement in _STEPS.items():
                started_s = time.perf_counter()
                await connection.execute(statement)
                used[name] += time.perf_counter() - started_s
    bytes_of = {name: int(await connection.fetchval(_SIZE, name)) for name in _STEPS}
    await source.close()
    await connection.close()
    return {
        "us_an_event": {name: round(1e6 * spent / events, 2) for name, spent in used.items()},
        "bytes_an_event": {name: round(size / events, 1) for name, size in bytes_of.items()},
    }


_KINDS = {
    "uuid": "UUID",
    "timestamptz": "DateTime64(3)",
    "bigint": "Int64",
    "boolean": "Bool",
    "smallint": "Int16",
}
_DISTINCT = {"id", "token_id", "order_id", "client", "person", "network"}


def _clickhouse(csv: Path, folder: Path, events: int) -> dict[str, Any]:
    from chdb.session import Session

    session = Session(str(folder))
    columns = []
    for name, kind in _COLUMNS:
        own = _KINDS.get(kind, "String" if name in _DISTINCT else "LowCardinality(String)")
        columns.append(f"{name} {own}")
    session.query("create database d")
    session.query(
        f"create table d.events ({', '.join(columns)}) engine = MergeTree order by (account_id, property_id, at, id)"
    )
    session.query(
        "create table d.hours (hour DateTime, account_id LowCardinality(String), property_id UUID, slot_id UUID, "
        "campaign_id UUID, ad_id UUID, kind LowCardinality(String), reason LowCardinality(String), "
        "country LowCardinality(String), device LowCardinality(String), count Int64, micros Int64) "
        "engine = SummingMergeTree order by (account_id, hour, property_id, slot_id, campaign_id, ad_id, kind, reason, country, device)"
    )
    lines = csv.read_text().splitlines(keepends=True)
    spent = hours = 0.0
    settings = " settings date_time_input_format = 'best_effort', max_threads = 1"
    for first in range(0, events, _BATCH):
        csv.with_suffix(".part").write_text("".join(lines[first : first + _BATCH]))
        started_s = time.process_time()
        session.query(
            f"insert into d.events select * from file('{csv.with_suffix('.part')}', 'CSV', '{', '.join(columns)}') {settings}"
        )
        spent += time.process_time() - started_s
    started_s = time.process_time()
    session.query("optimize table d.events final")
    merge = time.process_time() - started_s
    started_s = time.process_time()
    session.query(
        "insert into d.hours select toStartOfHour(at), account_id, property_id, slot_id, campaign_id, ad_id, kind, "
        "reason, country, device, count(), sum(charged_micros) from d.events group by all"
    )
    hours = time.process_time() - started_s
    size = session.query(
        "select table, sum(bytes_on_disk) from system.parts where active and database = 'd' group by table",
        "CSV",
    )
    return {
        "insert_us_an_event": round(1e6 * spent / events, 2),
        "merge_us_an_event": round(1e6 * merge / events, 2),
        "hours_us_an_event": round(1e6 * hours / events, 2),
        "bytes": str(size),
    }


def main() -> int:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else _EVENTS
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        folder.chmod(0o755)
        postgres = Postgres(folder / "postgres")
        steps.callback(postgres.stop)
        postgres.start()
        found = asyncio.run(_postgres(postgres.url, events, folder / "events.csv"))
        sys.stdout.write(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n")
        sys.stdout.flush()
        beside = _clickhouse(folder / "events.csv", folder / "clickhouse", events)
        sys.stdout.write(orjson.dumps(beside, option=orjson.OPT_INDENT_2).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
