"""
``make measure-event-store ARGS=EVENTS``: what an event and a report cost with and without the report store, and where
accounts are divided over two PostgreSQL servers. ``requirements/alone.sh clickhouse`` installs ClickHouse's engine.

Each batch of ingest is written in every way in turn; the processor time is that of the connection that writes it:

- ``alone``, one PostgreSQL; ``store``, with the report store.
- ``divided``: one server keeps keys and counts and queues rows of events. Two others receive the rows of their accounts
  and sum their hours. This exists here only.
- ``statement_us``: all of ingest's statement a batch, where the store is closed, and without this option.

Then `EVENTS` hourly rows over 90 days are rolled up and read by any two dimensions, moved into the store, and read
again. Bytes include indexes.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import asyncpg
import orjson
from sqlalchemy import text

from common.values.environment import Environment
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.events.ingest.report_queue import IS_OPEN
from control.events.ingest.staging_table import MAKE_STAGE
from control.events.ingest.write_aggregates import STATEMENTS
from control.ports.report_store import ReportStore
from control.reporting.reports import queries
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
from tests.support.clickhouse import ClickHouseServer

_EVENTS, _BATCH, _SMALL_BATCH, _SMALL_BATCHES = 200_000, 8_000, 200, 200
_TURNS, _ROLLED_DAYS = 3, 10
_SPLITS = ((), *((each,) for each in Dimension), *combinations(Dimension, 2))
_DRAW = """
insert into event_stage
select gen_random_uuid(), gen_random_uuid(), now() - random() * interval '1 minute', now() - interval '2 minutes', 1000,
    1, true, 1, 'ok', null, null, null, null, chr(97 + cast(floor(30 * random() ^ 2) as int) % 26) || 'r',
    (array['mobile', 'desktop', 'tablet', 'tv'])[1 + cast(floor(4 * random() ^ 2) as int)], null,
    cast('203.0.113.0/24' as cidr), substr(decode(md5(cast(random() as text)), 'hex'), 1, 8), 'Firefox', '140', null,
    'account' || place % 2, cast(md5('p' || place % 8) as uuid), cast(md5('s' || place) as uuid),
    cast(md5('a' || ad) as uuid), cast(md5('c' || ad / 3) as uuid), false, false, 1000,
    case when random() < 0.03 then 'click' else 'impression' end, 'auction', 'web', 'banner', 'cpm', null, null, 0, null
from (select cast(floor(180 * random() ^ 2) as int) as ad, cast(floor(40 * random()) as int) as place
    from generate_series(1, $1)) drawn
"""
"""Ads, slots, countries and devices as in `loadtests.bench.reports_world`: a few have most of the traffic."""
_LARGE = """
insert into {table} select 'large', false, ['impression', 'viewable', 'click', 'decision'][1 + rand(1) % 4],
    toDateTime('2026-01-01', 'UTC') + 3600 * (rand(2) % 2160), toUUID(leftPad(hex(1 + slot % 8), 32, '0')) as property,
    toUUID(leftPad(hex(slot), 32, '0')), toUUID(leftPad(hex(intDiv(ad, 3)), 32, '0')),
    toUUID(leftPad(hex(ad), 32, '0')), 'ok', char(97 + rand(5) % 26), ['mobile', 'desktop', 'tv'][1 + rand(6) % 3],
    'banner', 'auction', 'web', '', 20, 50000, 0
from (select rand(3) % 40 as slot, rand(4) % 180 as ad from numbers(5000000))
"""
_KEYS = (
    "insert into event_keys (token_day, key) "
    "select current_date, uuid_send(token_id) from event_stage order by 2"
)
_OPEN = (
    "insert into report_store (opened_at, sent_at, max_behind_s, sent, sent_tokens, as_of) "
    "values (now(), now() + interval '1 day', 86400, 0, 0, '{}')"
)
_SIZE = (
    "select coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(cast($1 as text)::regclass)), "
    "pg_total_relation_size(cast($1 as text)::regclass))"
)
_CLIENTS = text(
    "select pid from pg_stat_activity where datname = current_database() and usename is not null"
)
_MAKE_QUEUE = """
create table event_queue (like event_stage, place bigint generated always as identity primary key);
grant all on event_queue to placard_service
"""
_PLACES = {
    **dict.fromkeys(("alone", "store", "main", "statement", "reports"), 0),
    "first": 1,
    "second": 2,
}
"""On which server each database is."""
_WITHOUT_STORE = text(
    str(vars(queries)["_VALID_ONLY"]).replace(
        "(select jsonb_build_array(sent, as_of) from report_store)", "null"
    )
)
_COUNTS = ("ads", "clicks", "views", "ad_slots")
_TABLES = ("event_keys", "events", "event_hourly", "report_store_queue")
_STATEMENTS = {
    name: statement.replace(":today", "current_date") for name, statement in STATEMENTS.items()
} | {"keys": _KEYS, "queue_rows": "insert into event_queue select * from event_stage"}


def _as_one(names: Sequence[str]) -> str:
    *first, last = names
    return f"with {', '.join(f'{name} as ({_STATEMENTS[name]})' for name in first)} {_STATEMENTS[last]}"


_STATEMENTS |= {
    "closed": _as_one([*STATEMENTS]),
    "without_option": _as_one(["rows", "hours", *_COUNTS]).replace(IS_OPEN, "false"),
}


@dataclass(slots=True)
class Server:
    """A connection to a PostgreSQL as `control ingest` has it. ``used_s``: processor time by step."""

    connection: Any
    used_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    prepared: dict[str, Any] = field(default_factory=dict)

    @classmethod
    async def open(cls, url: str, beforehand: str = "") -> "Server":
        connection = await asyncpg.connect(url)
        as_service = "set role placard_service"
        await connection.execute(
            f"{as_service}; {MAKE_STAGE}; reset role; {beforehand}; {as_service}"
        )
        return cls(connection)

    async def write(self, events: int, *names: str) -> None:
        """Draws *events* and runs these statements on them, in one transaction."""
        async with self.connection.transaction():
            await self.connection.execute(_DRAW, events)
            for name in names:
                await self.run(name)

    async def run(self, name: str) -> None:
        if name not in self.prepared:
            self.prepared[name] = await self.connection.prepare(_STATEMENTS[name])
        with self.spending(name):
            await self.prepared[name].fetch()

    @contextmanager
    def spending(self, name: str) -> Iterator[None]:
        before_s = _on_cpu_s(self.connection.get_server_pid())
        yield
        self.used_s[name] += _on_cpu_s(self.connection.get_server_pid()) - before_s

    async def size(self, table: str) -> int:
        return int(await self.connection.fetchval(_SIZE, table))

    async def end(self, events: int) -> dict[str, Any]:
        """Processor time and bytes, an event."""
        sizes = {name: await self.size(name) for name in _TABLES}
        await self.connection.close()
        return {
            "us_an_event": _per(self.used_s, events / 1e6),
            "us_in_all": round(1e6 * sum(self.used_s.values()) / events, 2),
            "bytes_an_event": _per(sizes, events),
        }


def _on_cpu_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def _per(values: Mapping[str, float], count: float) -> dict[str, float]:
    return {name: round(value / count, 2) for name, value in values.items()}


async def _written(urls: Mapping[str, str], events: int) -> dict[str, Any]:
    alone = await Server.open(urls["alone"])
    store = await Server.open(urls["store"], _OPEN)
    main = await Server.open(urls["main"], _MAKE_QUEUE)
    add_place = "alter table event_stage add column place bigint"
    parts = [await Server.open(urls[name], add_place) for name in ("first", "second")]
    batches, queued_bytes = events // _BATCH, 0
    for _ in range(batches):
        await alone.write(_BATCH, "keys", "rows", "hours", *_COUNTS)
        await store.write(_BATCH, "keys", "rows", "queue", "coarse_hours", *_COUNTS)
        await main.write(_BATCH, "keys", "queue_rows", *_COUNTS)
        queued_bytes = queued_bytes or await main.size("event_queue")
        await _divide(main, parts)
    written = batches * _BATCH
    found: dict[str, Any] = {"alone": await alone.end(written), "store": await store.end(written)}
    found["divided"] = await main.end(written) | {"queued": round(queued_bytes / _BATCH, 2)}
    found["each_part"] = [await part.end(written) for part in parts]
    return found


async def _divide(main: Server, parts: Sequence[Server]) -> None:
    """Moves the queued rows to the servers of their accounts."""
    for number, part in enumerate(parts):
        rows = BytesIO()
        taken = f"select * from event_queue where account_id = 'account{number}' order by place"  # noqa: S608 - ours
        with main.spending("send"):
            await main.connection.copy_from_query(taken, output=rows, format="binary")
        rows.seek(0)
        async with part.connection.transaction():
            with part.spending("receive"):
                await part.connection.copy_to_table("event_stage", source=rows, format="binary")
            for name in ("rows", "hours"):
                await part.run(name)
    with main.spending("delete"):
        await main.connection.execute("delete from event_queue")


async def _statement_us(url: str, batch: int, batches: int) -> dict[str, float]:
    """The median of a batch, without the store and with a closed one, in turns."""
    server = await Server.open(url)
    taken: dict[str, list[float]] = {"without_option": [], "closed": []}
    for _ in range(batches):
        for name, all_taken in taken.items():
            before_s = server.used_s[name]
            await server.write(batch, name)
            all_taken.append(1e6 * (server.used_s[name] - before_s))
    await server.connection.close()
    return {name: round(median(each), 1) for name, each in taken.items()}


async def _read(
    database: Database, books: ReportData, pids: Sequence[int], store: ReportStore = NO_STORE
) -> dict[str, Any]:
    """Milliseconds of a report, the best of some turns, and of processor time: the median split and the slowest."""
    taken: dict[str, float] = {}
    cpu: dict[str, float] = {}
    for split in _SPLITS:
        question = ReportSpec(books.start, books.until, group_by=split)
        turns = []
        before_s = sum(map(cpu_seconds, pids))
        for _ in range(_TURNS):
            started_s = time.perf_counter()
            async with database.tenant(books.account_id, is_steady=True) as session:
                scope = ReportScope(books.account_id, Environment.LIVE)
                await read_report(session, scope, question, store=store)
            turns.append(time.perf_counter() - started_s)
        name = "×".join(split) or "total"
        taken[name] = min(turns) * 1e3
        cpu[name] = (sum(map(cpu_seconds, pids)) - before_s) * 1e3 / _TURNS
    slowest = max(taken, key=lambda name: taken[name])
    return {
        "median_ms": round(median(list(taken.values())), 1),
        "slowest_ms": round(taken[slowest], 1),
        "slowest": slowest,
        "median_cpu_ms": round(median(list(cpu.values())), 1),
        "slowest_cpu_ms": round(max(cpu.values()), 1),
    }


async def _shipped(url: str, events: int, clickhouse: ClickHouseServer) -> dict[str, float]:
    """Processor time an event of sending the queue, of both sides."""
    database, store = Database(url), ClickHouseReportStore(clickhouse.new_database())
    await store.prepare()
    before_s = cpu_seconds(clickhouse.pid)
    await ship(database, store)
    clickhouse_s = cpu_seconds(clickhouse.pid) - before_s
    async with database.service() as session:
        clients = await session.scalars(_CLIENTS)
        postgresql_s = sum(map(_on_cpu_s, clients))
    await store.close()
    await database.close()
    return _per({"postgresql": postgresql_s, "clickhouse": clickhouse_s}, events / 1e6)


async def _rolled_us(database: Database, books: ReportData, rows: int, pid: int) -> float:
    """Processor time of PostgreSQL a row of hours, of rolling up the last ten days again."""
    first = (books.until - timedelta(days=_ROLLED_DAYS + 1)).date()
    async with database.service() as session:
        await session.execute(text("update report_head set rolled_before = :day"), {"day": first})
    used_s = cpu_seconds(pid)
    await roll_due(database, books.until)
    return round((cpu_seconds(pid) - used_s) * 1e6 * DAYS / _ROLLED_DAYS / rows, 1)


async def _read_large(store: ReportStore, pid: int) -> dict[str, Any]:
    """Milliseconds of reports over five million rows, the best of some turns, and of ClickHouse's processor time."""
    start, taken = datetime(2026, 1, 1, tzinfo=UTC), {}
    is_test = False
    ids = [str(UUID(int=number)) for number in range(1, 9)]
    for split in ((), (Dimension.CAMPAIGN,), (Dimension.AD, Dimension.COUNTRY)):
        query = StoredQuery(
            "large", is_test, ids, [start], start + timedelta(days=DAYS), split, sorted(Sum)[:8], {}
        )
        turns, before_s = [], cpu_seconds(pid)
        for _ in range(_TURNS):
            started_s = time.perf_counter()
            await store.select(query.statement, query.parameters)
            turns.append(time.perf_counter() - started_s)
        taken["×".join(split) or "total"] = {
            "ms": round(min(turns) * 1e3, 1),
            "cpu_ms": round((cpu_seconds(pid) - before_s) * 1e3 / _TURNS, 1),
        }
    return taken


async def _reports(url: str, rows: int, pid: int, clickhouse: ClickHouseServer) -> dict[str, Any]:
    database, world = Database(url), IngestWorld()
    await world.open(database)
    until = datetime.now(UTC).replace(hour=2, minute=0, second=0, microsecond=0)
    start = until - timedelta(days=DAYS)
    books = ReportData("", world.account_id, world.properties, start, until, [])
    await fill(url, books, rows, rows // 4)
    postgresql = await _read(database, books, [pid])
    with patch.object(queries, "_VALID_ONLY", _WITHOUT_STORE):
        without_store = await _read(database, books, [pid])
    rolled_us = await _rolled_us(database, books, rows, pid)
    async with database.service() as session:
        sizes = {
            name: int(await session.scalar(text(_SIZE.replace("$1", f"'{name}'"))) or 0)
            for name in ("event_hourly", "report_sums")
        }
    place = clickhouse.new_database()
    store, table = ClickHouseReportStore(place), f"{place.rpartition('/')[2]}.hours"
    started_s = time.perf_counter()
    await open_report_store(url, store, max_behind_s=86_400)
    opened_s = time.perf_counter() - started_s
    await ship(database, store)
    stored = f"from system.parts where active and database || '.' || table = '{table}'"
    sizes["clickhouse"] = int(clickhouse.query(f"select sum(bytes_on_disk) {stored}"))
    found = {
        "postgresql": postgresql,
        "postgresql_without_option": without_store,
        "clickhouse": await _read(database, books, [pid, clickhouse.pid], store),
        "bytes_a_row": _per(sizes, rows),
        "opened_s": round(opened_s, 1),
        "rolled_us_a_row": rolled_us,
    }
    clickhouse.query(_LARGE.format(table=table))
    found["clickhouse_of_5_million_rows"] = await _read_large(store, clickhouse.pid)
    await store.close()
    await database.close()
    return found


def main(arguments: Sequence[str]) -> int:
    events = int(arguments[0]) if arguments else _EVENTS
    found: dict[str, Any] = {"load_average": os.getloadavg()[0]}
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        folder.chmod(0o755)
        clickhouse = ClickHouseServer(folder / "clickhouse")
        steps.callback(clickhouse.stop)
        clickhouse.start()
        servers = [Postgres(folder / f"postgres{number}") for number in range(3)]
        for server in servers:
            steps.callback(server.stop)
            server.start()
        pid = servers[0].identity.pid if servers[0].identity else 0
        urls = {name: asyncio.run(_made(servers[number], name)) for name, number in _PLACES.items()}
        found["ways"] = asyncio.run(_written(urls, events))
        found["shipped_us_an_event"] = asyncio.run(_shipped(urls["store"], events, clickhouse))
        found["statement_us"] = {
            batch: asyncio.run(_statement_us(urls["statement"], batch, batches))
            for batch, batches in ((_BATCH, events // _BATCH), (_SMALL_BATCH, _SMALL_BATCHES))
        }
        found["reports"] = asyncio.run(_reports(urls["reports"], events, pid, clickhouse))
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    sys.stdout.write(orjson.dumps(found, option=options).decode() + "\n")
    return 0


async def _made(server: Postgres, name: str) -> str:
    connection = await asyncpg.connect(server.url)
    await connection.execute(f"create database {name}")
    await connection.close()
    url = server.database_url(name)
    await migrate(url)
    return url


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
