"""Reports by hour of the week: hours of several weeks are added up in the requested time zone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from common.values.enums import EventKind
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World

HOURS = "/v1/reports/hours"


def _friday_night(world: World) -> datetime:
    """Friday 23:00 of UTC, seven to thirteen days ago."""
    today = world.clock.now().replace(hour=23, minute=0, second=0, microsecond=0)
    return today - timedelta(days=(today.isoweekday() - 5) % 7 + 7)


async def _read(reader: Reader, world: World, **query: Any) -> dict[str, Any]:
    now = world.clock.now()
    days = {
        "from": (now - timedelta(days=28)).date().isoformat(),
        "to": (now + timedelta(days=1)).date().isoformat(),
    }
    found: dict[str, Any] = await reader.get(HOURS, environment="live", **days, **query)
    return found


async def test_the_same_hour_of_two_weeks_is_one_row(
    reader: Reader, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    friday = _friday_night(world)
    weeks = [int(at.timestamp() * 1000) for at in (friday, friday - timedelta(days=7))]
    await world.ingest(
        [
            *[edge.event(campaign, at_ms=at, price_micros=5_500) for at in weeks],
            *[edge.event(campaign, at_ms=weeks[0], price_micros=5_500) for _ in range(2)],
            edge.event(campaign, kind=EventKind.CLICK, issued_ms=weeks[1] - 2000, at_ms=weeks[1]),
        ]
    )

    found = await _read(reader, world, metrics="impressions,ctr,spend_cents")

    row = {"weekday": 5, "hour": 23, "impressions": 4, "ctr": 0.25, "spend_cents": 2}
    assert found["data"] == [row]
    assert found["totals"] == {"impressions": 4, "ctr": 0.25, "spend_cents": 2}


async def test_hours_are_of_the_requested_zone(reader: Reader, world: World, edge: Edge) -> None:
    at_ms = int(_friday_night(world).timestamp() * 1000)
    await world.ingest([edge.event(at_ms=at_ms)])

    for zone, weekday, hour in (("UTC", 5, 23), ("Asia/Tokyo", 6, 8), ("America/Bogota", 5, 18)):
        (row,) = (await _read(reader, world, metrics="impressions", tz=zone))["data"]
        assert (row["weekday"], row["hour"]) == (weekday, hour)


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Asia/Kathmandu"])
async def test_a_day_has_its_own_hours_in_a_zone_off_the_full_hour(
    reader: Reader, world: World, edge: Edge, zone: str
) -> None:
    """The hour from 18:00 of UTC contains midnight in both zones, so it belongs to the day that begins in it."""
    sunday = _friday_night(world).replace(hour=0) + timedelta(days=2)
    times = [sunday + timedelta(hours=hours, minutes=10) for hours in (18, 19, 41)]
    await world.ingest([edge.event(at_ms=int(at.timestamp() * 1000)) for at in times])
    monday = {
        "from": (sunday + timedelta(days=1)).date().isoformat(),
        "to": (sunday + timedelta(days=2)).date().isoformat(),
        "environment": "live",
        "metrics": "impressions",
        "tz": zone,
    }

    hours = await reader.get(HOURS, **monday)
    day = await reader.get("/v1/reports/delivery", **monday)

    assert [(one["weekday"], one["hour"], one["impressions"]) for one in hours["data"]] == [
        (1, 0, 1),
        (1, 1, 1),
        (1, 23, 1),
    ]
    assert day["totals"] == hours["totals"] == {"impressions": 3}


async def test_more_than_31_days_are_refused(reader: Reader) -> None:
    days = {"from": "2026-01-01", "to": "2026-03-01"}

    assert await reader.refused(HOURS, environment="live", **days) == "422 validation_failed"


def test_the_night_of_these_tests_is_a_friday(world: World) -> None:
    at = _friday_night(world)

    assert at.isoweekday() == 5
    assert timedelta(days=6) < world.clock.now() - at.astimezone(UTC) < timedelta(days=16)
