"""A dashboard user of an account with ten thousand campaigns and ten million events of thirty days."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

import httpx
from sqlalchemy import text

from control.events.ingest.partitions import ensure_partitions
from control.reporting.reports.rollup_job import roll_due
from control.storage.database import Database, open_engine
from loadtests.bench.control_world import Api, made

DAYS, CAMPAIGNS, EVENTS_A_ROW = 30, 10_000, 40
_PASSWORD = "correct horse battery"
_COUNTRIES = (
    "(array['br', 'de', 'us', 'pt', 'fr'])[1 + cast(floor(5 * random() * random()) as integer)]"
)
_CAMPAIGN = {
    "name": "Campaign 1",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 250,
    "start_at": "2030-01-01T00:00:00Z",
    "end_at": "2030-03-31T00:00:00Z",
    "budget": {"total_cents": 500_000, "daily_cents": 10_000},
}
_COPY = (
    "insert into campaigns ({columns}) select {columns} from (select (jsonb_populate_record(c, jsonb_build_object("
    "'id', uuidv7()::text, 'name', 'Campaign ' || number))).* from campaigns c, "
    "generate_series(2, cast(:count as integer)) number where c.id = :campaign)"
)
_COLUMNS = text(
    "select string_agg(column_name, ', ') from information_schema.columns "
    "where table_name = 'campaigns' and is_generated = 'NEVER'"
)
_HOURS = f"""
insert into event_hourly (hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test,
    reason, country, device, account_id, count, charged_micros, value_cents, last_at)
select h.hour, cast(:property as uuid), cast(:property as uuid), cast(c.id as uuid), cast(c.id as uuid),
    case when n % 10 = 0 then 'click' else 'impression' end, 'banner', 'auction', 'web', false,
    case when n % 33 = 0 then 'prefetch' else 'ok' end, {_COUNTRIES}, 'mobile', :account,
    {EVENTS_A_ROW}, case when n % 33 = 0 then 0 else 50000 end, 0, h.hour
from generate_series(1, cast(:rows as integer)) n
join (select id, row_number() over (order by id) as number from campaigns where account_id = :account) c
    on c.number = 1 + n % {CAMPAIGNS}
cross join lateral (
    select date_trunc('hour', cast(:start as timestamptz) + random() * (cast(:until as timestamptz) - :start))
        + n * interval '0' as hour
) h
on conflict do nothing
"""  # noqa: S608 - constants only
_DECISIONS = """
insert into serve_hourly (account_id, hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome, country,
    device, surface, format, count)
select :account, hour, cast(:property as uuid), cast(:property as uuid), null, null, false,
    case when random() < 0.8 then 'fill' else 'no_candidate' end, 'br', 'mobile', 'web', 'banner', 15000
from generate_series(cast(:start as timestamptz), :until, '1 hour') hour
"""
_FEED = """
insert into events (
    stored_day, id, account_id, kind, at, issued_at, token_id, property_id, slot_id, ad_id, campaign_id, is_test,
    source, surface, format, valid, reason, judge_version, snapshot_version, price_micros, charged_micros
)
select current_date, gen_random_uuid(), :account, 'impression', now() - interval '23 hours' * n / :rows, now(),
    gen_random_uuid(), cast(:property as uuid), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), false,
    'auction', 'web', 'banner', n % 33 <> 0, case when n % 33 = 0 then 'prefetch' else 'ok' end, 1, 1, 1000,
    case when n % 33 = 0 then 0 else 1000 end
from generate_series(1, cast(:rows as integer)) n
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """``cookie``: of the dashboard. ``events``: the total of the hourly sums."""

    cookie: str
    campaign_id: str
    property_id: str
    events: int


def make_visit(api: Api, *, rows: int, now: datetime) -> Visit:
    """*rows*: of the hourly sums, each of forty events. Today's feed has a third as many events."""
    with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60) as http:
        person = {"name": "Bench", "email": f"{uuid4().hex}@bench.example", "password": _PASSWORD}
        account_id = made(http.post("/v1/accounts", json=person))["account"]["id"]
        form = {"email": person["email"], "password": _PASSWORD}
        signed_in = http.post("/sign-in", data=form, headers={"Sec-Fetch-Site": "same-origin"})
        cookie = signed_in.headers["set-cookie"].split(";")[0]
        grant = {"grant_type": "password", **form}
        token = http.post("/v1/auth/token", json=grant).raise_for_status().json()["access_token"]
        http.headers["Authorization"] = f"Bearer {token}"
        site = {"name": "Site", "kind": "web", "domain": "site.example.com"}
        property_id = made(http.post("/v1/properties", json=site))["id"]
        body = {**_CAMPAIGN, "property_ids": [property_id]}
        campaign_id = made(http.post("/v1/campaigns?environment=live", json=body))["id"]
    values = {
        "account": account_id,
        "property": property_id,
        "campaign": campaign_id,
        "count": CAMPAIGNS,
        "start": now - timedelta(days=DAYS),
        "until": now,
    }
    events = asyncio.run(_fill(api.database_url, values, rows, now))
    return Visit(cookie, campaign_id, property_id, events)


async def _fill(url: str, values: dict[str, object], rows: int, now: datetime) -> int:
    """Writes to the database directly, as ingest would have summed the events and `control work` rolled them up."""
    database = Database(url)
    async with database.service() as session:
        await ensure_partitions(session, now.date())
    engine = open_engine(url, None, is_hurried=False)
    async with engine.begin() as connection:
        columns = await connection.scalar(_COLUMNS)
        statements = (
            (_COPY.format(columns=columns), rows),
            (_HOURS, rows),
            (_DECISIONS, rows),
            (_FEED, rows // 3),
        )
        for statement, count in statements:
            found = text(statement)
            known = values | {"rows": count}
            await connection.execute(found, {name: known[name] for name in found.compile().params})
        events = await connection.scalar(text("select sum(count) from event_hourly"))
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        await connection.execute(text("vacuum analyze"))
    await engine.dispose()
    for day in range(1, DAYS + 1):
        await roll_due(database, now - timedelta(days=DAYS - day) + timedelta(hours=1))
    await database.close()
    return int(events or 0)
