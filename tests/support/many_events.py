"""Events by the ten thousand, straight into the table, where it does not matter how they came."""

from sqlalchemy import text

from control.storage.database import Database

_INSERT = text("""
insert into events (
    stored_day, id, account_id, kind, at, issued_at, token_id, property_id, slot_id, ad_id, campaign_id, is_test,
    source, surface, format, valid, reason, judge_version, snapshot_version, price_micros, charged_micros
)
select current_date, gen_random_uuid(), :account, 'impression', now() - interval '1 hour' * n / :count, now(),
    gen_random_uuid(), cast(:property as uuid), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), false,
    'auction', 'web', 'banner', true, 'ok', 1, 1, 1000, 1000
from generate_series(1, :count) n
""")


async def add_events(database: Database, account_id: str, property_id: str, count: int) -> None:
    """Live impressions of the last hour."""
    async with database.service() as session:
        values = {"account": account_id, "property": property_id, "count": count}
        await session.execute(_INSERT, values)
