"""Two days of traffic of a world's slot, as ingest would have stored it."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from common.decision.rules.opportunity import Signals
from tests.control.reporting.decision_log.world import World

HOURS = 48
REQUESTS_AN_HOUR = 500
DECISIONS = 120
_COUNTED = text(
    "insert into serve_hourly (account_id, hour, property_id, slot_id, is_test, outcome, country, device, surface, "
    "format, count) select :account, h, cast(:property as uuid), cast(:slot as uuid), :is_test, 'no_candidate', 'br', "
    "'mobile', 'web', '', :count from generate_series(cast(:since as timestamptz), "
    "cast(:until as timestamptz) - interval '1 hour', interval '1 hour') as h"
)


async def with_traffic(world: World) -> None:
    """Two days of requests, of which two thirds come from Brazil, and decisions recorded of them."""
    until = now_of(world).replace(minute=0, second=0, microsecond=0)
    async with world.api.control.database.service() as session:
        await session.execute(
            _COUNTED,
            {
                "account": world.customer.person.account_id,
                "property": world.property_id,
                "slot": world.slot["id"],
                "count": REQUESTS_AN_HOUR,
                "is_test": world.environment.is_test,
                "since": until - timedelta(hours=HOURS),
                "until": until,
            },
        )
    countries = ("br", "br", "de")
    records = [
        (await world.decide(signals=Signals(country=countries[number % 3])))[0]
        for number in range(DECISIONS)
    ]
    await world.keep(*records)


def now_of(world: World) -> datetime:
    return world.api.control.clock.now().astimezone(UTC)
