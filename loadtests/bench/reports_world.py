"""An account with 90 days of a hundred million events, summed by the hour as by ingest, and rolled up."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from control.reporting.reports.rollup_job import roll_due
from control.storage.database import Database, open_engine
from loadtests.bench.control_world import Api, made, sign_up

DAYS = 90
PROPERTIES, SLOTS, CAMPAIGNS, ADS, COUNTRIES = 8, 40, 60, 180, 30
_SLOTS_OF_A_CAMPAIGN = 10
_TABLES = ("event_hourly", "serve_hourly")
_WORLD = (
    f"""
create temporary table the_slots as
select n as number, gen_random_uuid() as id,
    cast((cast(:properties as varchar[]))[1 + n % cardinality(cast(:properties as varchar[]))] as uuid) as property_id
from generate_series(0, {SLOTS} - 1) n
""",  # noqa: S608 - constants only
    f"""
create temporary table the_ads as
select n as number, gen_random_uuid() as id, cast(md5('campaign' || n / {ADS // CAMPAIGNS}) as uuid) as campaign_id,
    n / {ADS // CAMPAIGNS} as campaign, (array['banner', 'html', 'native', 'video'])[1 + n % 4] as format,
    (array['auction', 'direct', 'sponsorship'])[1 + n / {ADS // CAMPAIGNS} % 3] as source
from generate_series(0, {ADS} - 1) n
""",  # noqa: S608 - constants only
)
_DRAWS = f"""
    select hour, cast(floor({ADS} * power(random(), 2)) as integer) as ad,
        cast(floor({_SLOTS_OF_A_CAMPAIGN} * random()) as integer) as place,
        cast(floor({COUNTRIES} * power(random(), 2)) as integer) as country,
        (array['mobile', 'desktop', 'tablet', 'tv'])[1 + cast(floor(4 * power(random(), 2)) as integer)] as device,
        random() as kind, random() as reason, cast(1 - 19 * ln(random()) as bigint) as count
    from generate_series(cast(:start as timestamptz), cast(:until as timestamptz) - interval '1 hour', '1 hour') hour,
        generate_series(1, cast(:rows as integer))
"""  # noqa: S608 - constants only
"""A few ads, countries and devices have most of the traffic; a row counts twenty on average."""
_WHERE = (
    "join the_ads a on a.number = d.ad "
    f"join the_slots s on s.number = (a.campaign * 7 + d.place) % {SLOTS}"
)
_EVENTS = f"""
insert into event_hourly (hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test,
    reason, country, device, account_id, count, charged_micros, value_cents, last_at)
select d.hour, s.property_id, s.id, a.campaign_id, a.id,
    case when kind < 0.7 then 'impression' when kind < 0.88 then 'viewable' when kind < 0.98 then 'click'
        else 'conversion' end as kind,
    a.format, a.source, case when s.number % 4 = 0 then 'ios' else 'web' end, false,
    case when reason < 0.95 then 'ok' when reason < 0.97 then 'ok_late' else 'bot_user_agent' end as reason,
    chr(97 + d.country % 26) || chr(97 + d.country / 26), d.device, cast(:account as varchar), sum(d.count),
    sum(case when kind < 0.7 and reason < 0.97 then d.count * 2500 else 0 end), 0, d.hour
from ({_DRAWS}) d {_WHERE} group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13
"""  # noqa: S608 - constants only
_DECISIONS = f"""
insert into serve_hourly (account_id, hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome, country,
    device, surface, format, count)
select cast(:account as varchar), d.hour, s.property_id, s.id, case when kind < 0.8 then a.campaign_id end,
    case when kind < 0.8 then a.id end, false, case when kind < 0.8 then 'fill' else 'no_candidate' end,
    chr(97 + d.country % 26) || chr(97 + d.country / 26), d.device,
    case when s.number % 4 = 0 then 'ios' else 'web' end, a.format, sum(d.count)
from ({_DRAWS}) d {_WHERE} group by 2, 3, 4, 5, 6, 8, 9, 10, 11, 12
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class ReportData:
    """``start`` and ``until``: the 90 days, of which the last 26 hours are not rolled up."""

    authorization: str
    account_id: str
    properties: list[str]
    start: datetime
    until: datetime
    roll_day_s: list[float]


def make_books(api: Api, *, rows: int, decisions: int, now: datetime) -> ReportData:
    """
    *rows*, *decisions*: approximate rows of the hourly sums of events and of decisions. The range ends at two in the
    morning, when the most hours wait to be rolled up.
    """
    with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60) as http:
        account_id = sign_up(http)
        authorization = http.headers["Authorization"]
        properties = [
            str(
                made(
                    http.post(
                        "/v1/properties",
                        json={"name": f"Site {n}", "kind": "web", "domain": f"s{n}.example.com"},
                    )
                )["id"]
            )
            for n in range(PROPERTIES)
        ]
    until = now.replace(hour=2, minute=0, second=0, microsecond=0)
    books = ReportData(
        authorization, account_id, properties, until - timedelta(days=DAYS), until, []
    )
    asyncio.run(fill(api.database_url, books, rows, decisions))
    return books


async def fill(url: str, books: ReportData, rows: int, decisions: int) -> None:
    engine = open_engine(url, None, is_hurried=False)
    hours = DAYS * 24
    values = {
        "account": books.account_id,
        "properties": books.properties,
        "start": books.start,
        "until": books.until,
    }
    async with engine.begin() as connection:
        again = [one for table in _TABLES for one in await _drop_indexes(connection, table)]
        for statement in _WORLD:
            await _run(connection, statement, values)
        await _run(connection, _EVENTS, values | {"rows": rows // hours})
        await _run(connection, _DECISIONS, values | {"rows": decisions // hours})
        for statement in again:
            await connection.execute(text(statement))
    await _vacuum(url)
    await _roll(url, books)
    await _vacuum(url)
    await engine.dispose()


async def _run(connection: AsyncConnection, statement: str, values: dict[str, object]) -> None:
    found = text(statement)
    await connection.execute(found, {name: values[name] for name in found.compile().params})


async def _drop_indexes(connection: AsyncConnection, table: str) -> list[str]:
    """Returns the statements that recreate them. Inserts are far faster without indexes."""
    constraints = await connection.execute(
        text(
            "select conname, pg_get_constraintdef(oid) from pg_constraint "
            "where conrelid = to_regclass(:table) and contype in ('p', 'u') and conname <> 'pk_serve_hourly'"
        ),
        {"table": table},
    )
    again = []
    for name, definition in constraints.all():
        await connection.execute(text(f"alter table {table} drop constraint {name}"))
        again.append(f"alter table {table} add constraint {name} {definition}")
    indexes = await connection.execute(
        text(
            "select indexname, indexdef from pg_indexes "
            "where tablename = :table and indexname <> 'pk_serve_hourly'"
        ),
        {"table": table},
    )
    for name, definition in indexes.all():
        await connection.execute(text(f"drop index {name}"))
        again.append(definition)
    return again


async def _vacuum(url: str) -> None:
    engine = open_engine(url, None, is_hurried=False)
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        await connection.execute(text("vacuum analyze"))
    await engine.dispose()


async def _roll(url: str, books: ReportData) -> None:
    """Rolls up day after day, as `control work` would."""
    database = Database(url)
    clock = asyncio.get_running_loop().time
    for day in range(1, DAYS):
        started_s = clock()
        await roll_due(database, books.start + timedelta(days=day, hours=1))
        books.roll_day_s.append(clock() - started_s)
    await database.close()
