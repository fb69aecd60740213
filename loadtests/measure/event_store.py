"""
``python -m loadtests.measure.event_store [EVENTS]``: what an event and a report cost with and without the report store.

First, batches of ingest are written, table by table; the processor time is that of the connection that writes them.
Then `EVENTS` hourly rows over 90 days are rolled up and read by any two dimensions, moved into the store, and read
again. The store is ClickHouse's engine in this process, from the package ``chdb``. Bytes include indexes.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import orjson
from sqlalchemy import text

from common.values.environment import Environment
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.events.ingest.staging_table import MAKE_STAGE
from control.events.ingest.write_aggregates import STATEMENTS
from control.reporting.reports.metrics import Sum
from control.reporting.reports.queries import NO_STORE, read_report
from control.reporting.reports.report_query import ReportScope, ReportSpec
from control.reporting.reports.rollup_job import roll_due
from control.reporting.reports.vocabulary import Dimension
from control.reporting.store.opening import open_report_store
from control.reporting.store.shipping import ship
from control.reporting.store.statement import StoredQuery
from control.storage.database import Database
from control.storage.migrate import migrate
from deploy.standalone.postgres import Postgres
from loadtests.bench.ingest_world import IngestWorld
from loadtests.bench.report import median
from loadtests.bench.reports_world import DAYS, ReportData, fill
from loadtests.bench.rounds import cpu_seconds

_EVENTS, _BATCH = 200_000, 8_000
_TURNS = 3
_SPLITS = ((), *((each,) for each in Dimension), *combinations(Dimension, 2))
_DRAW = """
insert into event_stage
select gen_random_uuid(), gen_random_uuid(), now() - random() * interval '1 minute', now() - interval '2 minutes', 1000,
    1, true, 1, 'ok', null, null, null, null, chr(97 + cast(floor(30 * random() ^ 2) as int) % 26) || 'r',
    (array['mobile', 'desktop', 'tablet', 'tv'])[1 + cast(floor(4 * random() ^ 2) as int)], null,
    cast('203.0.113.0/24' as cidr), substr(decode(md5(cast(random() as text)), 'hex'), 1, 8), 'Firefox', '140', null,
    'account', cast(md5('p' || place % 8) as uuid), cast(md5('s' || place) as uuid), cast(md5('a' || ad) as uuid),
    cast(md5('c' || ad / 3) as uuid), false, false, 1000,
    case when random() < 0.03 then 'click' else 'impression' end, 'auction', 'web', 'banner', 'cpm', null, null, 0, null
from (select cast(floor(180 * random() ^ 2) as int) as ad, cast(floor(40 * random()) as int) as place
    from generate_series(1, $1)) drawn
"""
"""Ads, slots, countries and devices as in `loadtests.bench.reports_world`: a few have most of the traffic."""
_LARGE = """
insert into {hours} select 'large', false, ['impression', 'viewable', 'click', 'decision'][1 + rand(1) % 4],
    toDateTime('2026-01-01', 'UTC') + 3600 * (rand(2) % 2160), toUUID(leftPad(hex(1 + slot % 8), 32, '0')) as property,
    toUUID(leftPad(hex(slot), 32, '0')), toUUID(leftPad(hex(intDiv(ad, 3)), 32, '0')),
    toUUID(leftPad(hex(ad), 32, '0')), 'ok', char(97 + rand(5) % 26), ['mobile', 'desktop', 'tv'][1 + rand(6) % 3],
    'banner', 'auction', 'web', '', 20, 50000, 0
from (select rand(3) % 40 as slot, rand(4) % 180 as ad from numbers(5000000))
"""
_ROLLED_DAYS = 10
_KEYS = (
    "insert into event_keys (token_day, key) "
    "select current_date, uuid_send(token_id) from event_stage order by 2"
)
_OPEN = (
    "insert into report_store (opened_at, sent_at, max_behind_s, sent, as_of) "
    "values (now(), now() + interval '1 day', 86400, 0, '{}')"
)
_SIZE = (
    "select coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(cast($1 as text)::regclass)), "
    "pg_total_relation_size(cast($1 as text)::regclass))"
)
_OF_CLOSED = ("rows", "hours", "ads", "clicks", "ad_slots")
_OF_OPEN = ("rows", "queue", "coarse_hours", "ads", "clicks", "ad_slots")
_TABLES = ("event_keys", "events", "event_hourly", "report_store_queue", "report_sums")


class InProcess(ClickHouseReportStore):
    """The store's own statements, given to the engine without HTTP; ``cpu_s``: of the engine."""

    def __init__(self, folder: Path) -> None:
        super().__init__("http://127.0.0.1:1/measured")
        self.cpu_s = 0.0
        session: Any = import_module("chdb.session")  # of the tests' packages; it has no types
        self._session = session.Session(str(folder))
        self._session.query("create database if not exists measured")

    async def _run(self, statement: str | bytes, parameters: Mapping[str, str]) -> bytes:
        content = statement if isinstance(statement, str) else statement.decode()
        started_s = time.process_time()
        found = self._session.query(content, "TabSeparated", params=dict(parameters) or None)
        self.cpu_s += time.process_time() - started_s
        return found.bytes() if found is not None and hasattr(found, "bytes") else b""

    async def fill(self, statement: str) -> None:
        await self._run(self._named(statement), {})

    async def size(self) -> int:
        ((size,),) = await self.select(
            "select sum(bytes_on_disk) from system.parts where active and database = 'measured'", {}
        )
        return int(size)


async def _written(url: str, events: int, *, is_open: bool) -> dict[str, Any]:
    """Processor time of PostgreSQL an event, by statement, and bytes an event, by table."""
    connection = await asyncpg.connect(url)
    await connection.execute("set role placard_service")
    await connection.execute(MAKE_STAGE)
    if is_open:
        await connection.execute(_OPEN)
    used: dict[str, float] = defaultdict(float)
    statements = {"keys": _KEYS} | {
        name: STATEMENTS[name].replace(":today", "current_date")
        for name in (_OF_OPEN if is_open else _OF_CLOSED)
    }
    pid = connection.get_server_pid()
    for _ in range(events // _BATCH):
        async with connection.transaction():
            await connection.execute(_DRAW, _BATCH)
            for name, statement in statements.items():
                before = _on_cpu_s(pid)
                await connection.execute(statement)
                used[name] += _on_cpu_s(pid) - before
    sizes = {name: int(await connection.fetchval(_SIZE, name)) for name in _TABLES}
    await connection.close()
    return {
        "us_an_event": _per(used, events / 1e6)
        | {"all": round(1e6 * sum(used.values()) / events, 2)},
        "bytes_an_event": _per(sizes, events),
    }


def _on_cpu_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def _per(values: Mapping[str, float], count: float) -> dict[str, float]:
    return {name: round(value / count, 2) for name, value in values.items()}


async def _read(database: Database, books: ReportData, pid: int, store: InProcess | None) -> Any:
    """Milliseconds of a report, the best of some turns, and of processor time: the median split and the slowest."""
    taken: dict[str, float] = {}
    cpu: dict[str, float] = {}
    for split in _SPLITS:
        question = ReportSpec(books.start, books.until, group_by=split)
        turns = []
        before = cpu_seconds(pid) + (store.cpu_s if store else 0.0)
        for _ in range(_TURNS):
            started_s = time.perf_counter()
            async with database.tenant(books.account_id, is_steady=True) as session:
                scope = ReportScope(books.account_id, Environment.LIVE)
                await read_report(session, scope, question, store=store or NO_STORE)
            turns.append(time.perf_counter() - started_s)
        name = "×".join(split) or "total"
        taken[name] = min(turns) * 1e3
        spent = cpu_seconds(pid) + (store.cpu_s if store else 0.0) - before
        cpu[name] = spent * 1e3 / _TURNS
    slowest = max(taken, key=lambda name: taken[name])
    return {
        "median_ms": round(median(list(taken.values())), 1),
        "slowest_ms": round(taken[slowest], 1),
        "slowest": slowest,
        "median_cpu_ms": round(median(list(cpu.values())), 1),
        "slowest_cpu_ms": round(max(cpu.values()), 1),
    }


async def _shipped(url: str, events: int, pid: int, store: InProcess) -> dict[str, Any]:
    """Processor time an event of sending the queue, of both sides."""
    database = Database(url)
    await store.prepare()
    used_s = cpu_seconds(pid)
    await ship(database, store)
    shipped = {"postgresql": cpu_seconds(pid) - used_s, "clickhouse": store.cpu_s}
    await database.close()
    return {"shipped_us_an_event": _per(shipped, events / 1e6)}


async def _rolled_us(database: Database, books: ReportData, rows: int, pid: int) -> float:
    """Processor time of PostgreSQL a row of hours, of rolling up the last ten days again."""
    first = (books.until - timedelta(days=_ROLLED_DAYS + 1)).date()
    async with database.service() as session:
        await session.execute(text("update report_head set rolled_before = :day"), {"day": first})
    used_s = cpu_seconds(pid)
    await roll_due(database, books.until)
    return round((cpu_seconds(pid) - used_s) * 1e6 * DAYS / _ROLLED_DAYS / rows, 1)


async def _read_large(store: InProcess) -> dict[str, float]:
    """Milliseconds of reports over five million rows, by how they are split."""
    await store.fill(_LARGE)
    start, taken = datetime(2026, 1, 1, tzinfo=UTC), {}
    is_test = False
    ids = [str(UUID(int=number)) for number in range(1, 9)]
    for split in ((), (Dimension.CAMPAIGN,), (Dimension.AD, Dimension.COUNTRY)):
        query = StoredQuery(
            "large", is_test, ids, [start], start + timedelta(days=DAYS), split, sorted(Sum)[:8], {}
        )
        turns = []
        for _ in range(_TURNS):
            started_s = time.perf_counter()
            await store.select(query.statement, query.parameters)
            turns.append(time.perf_counter() - started_s)
        taken["×".join(split) or "total"] = round(min(turns) * 1e3, 1)
    return taken


async def _reports(url: str, rows: int, pid: int, store: InProcess) -> dict[str, Any]:
    database, world = Database(url), IngestWorld()
    await world.open(database)
    until = datetime.now(UTC).replace(hour=2, minute=0, second=0, microsecond=0)
    start = until - timedelta(days=DAYS)
    books = ReportData("", world.account_id, world.properties, start, until, [])
    await fill(url, books, rows, rows // 4)
    connection = await asyncpg.connect(url)
    before = {name: int(await connection.fetchval(_SIZE, name)) for name in _TABLES}
    postgresql = await _read(database, books, pid, None)
    rolled_us = await _rolled_us(database, books, rows, pid)
    started_s = time.perf_counter()
    await open_report_store(url, store, max_behind_s=86_400)
    opened_s = time.perf_counter() - started_s
    await ship(database, store)
    clickhouse = await _read(database, books, pid, store)
    found = {
        "postgresql": postgresql,
        "clickhouse": clickhouse,
        "bytes_a_row": {
            "event_hourly": round(before["event_hourly"] / rows, 1),
            "report_sums": round(before["report_sums"] / rows, 1),
            "clickhouse": round(await store.size() / rows, 1),
        },
        "opened_s": round(opened_s, 1),
        "rolled_us_a_row": rolled_us,
        "clickhouse_of_5_million_rows": await _read_large(store),
    }
    await connection.close()
    await database.close()
    return found


def main(arguments: Sequence[str]) -> int:
    events = int(arguments[0]) if arguments else _EVENTS
    found: dict[str, Any] = {"load_average": os.getloadavg()[0]}
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        folder.chmod(0o755)
        postgres = Postgres(folder / "postgres")
        steps.callback(postgres.stop)
        postgres.start()
        pid = postgres.identity.pid if postgres.identity else 0
        for name in ("closed", "open", "reports"):
            asyncio.run(_made(postgres.url, name))
        found["closed"] = asyncio.run(
            _written(postgres.database_url("closed"), events, is_open=False)
        )
        url = postgres.database_url("open")
        found["open"] = asyncio.run(_written(url, events, is_open=True))
        found["open"] |= asyncio.run(_shipped(url, events, pid, InProcess(folder / "clickhouse")))
        url = postgres.database_url("reports")
        found["reports"] = asyncio.run(_reports(url, events, pid, InProcess(folder / "again")))
    sys.stdout.write(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n")
    return 0


async def _made(url: str, name: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"create database {name}")
    await connection.close()
    await migrate(url.replace("/placard?", f"/{name}?"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
