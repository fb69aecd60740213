"""How fresh a report says it is: when the newest of it was stored, and up to when nothing is missing."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from common.tracking.event import NOTHING_FOLLOWS_MS
from common.values.clock import FixedClock, SystemClock, from_ms
from common.values.environment import Environment
from control.api.operator_action import NotFound, OperatorAction
from control.operations.admin_cli.writers import list_writers, retire_writer
from control.outbox.changes import Changes
from control.reporting.reports.queries import read_report
from control.reporting.reports.report_query import Report, ReportScope, ReportSpec
from control.storage.database import Database
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, DatabaseTemplate, Person

_MAKE_OPERATOR = text("update accounts set is_operator = true where id = :id")
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def fresh(migrated: DatabaseTemplate) -> AsyncIterator[World]:
    """In a database of its own: writers are of all accounts."""
    database = Database(migrated.new_database(), pool_size=2)
    yield await World(database, FixedClock(SystemClock().now_ms() - 3_600_000)).open()
    await database.close()


async def report(world: World, environment: Environment = Environment.LIVE) -> Report:
    async with world.database.tenant(world.account_id, is_steady=True) as session:
        question = ReportSpec(START, START + timedelta(days=1))
        return await read_report(session, ReportScope(world.account_id, environment), question)


def watermark(edge: Edge, *, ago_ms: int = 0, **changes: Any) -> Any:
    return edge.counter([], through_ms=edge.world.clock.now_ms() - ago_ms, **changes)


async def through(world: World) -> datetime | None:
    return (await report(world)).complete_through


async def names(act: OperatorAction, *, every: bool) -> list[str]:
    found = await list_writers(act, 100, every=every)
    assert isinstance(found, list)
    return [one["writer"] for one in found]


async def test_before_any_edge_reported_nothing_is_claimed(fresh: World) -> None:
    found = await report(fresh)
    assert (found.as_of, found.complete_through) == (None, None)


async def test_the_slowest_writer_determines_up_to_when_data_is_complete(fresh: World) -> None:
    one, other = Edge(fresh), Edge(fresh)
    await fresh.ingest([watermark(one, ago_ms=1_000), watermark(other, ago_ms=90_000)])
    found = await report(fresh)
    assert found.complete_through == from_ms(fresh.clock.now_ms() - 90_000)
    assert found.as_of == fresh.clock.now()
    assert (await report(fresh, Environment.TEST)).complete_through is None


async def test_a_writer_that_died_with_events_holds_time_back(fresh: World) -> None:
    dead, living = Edge(fresh), Edge(fresh)
    await fresh.ingest([watermark(dead), watermark(living)])
    died_at = fresh.clock.now()
    fresh.clock.advance(ms=600_000)
    await fresh.ingest([watermark(living)])
    assert await through(fresh) == died_at


async def test_the_end_of_a_writer_lets_time_go_on(fresh: World) -> None:
    dead, living = Edge(fresh), Edge(fresh)
    await fresh.ingest([watermark(dead), watermark(living)], partition=1)
    unshipped = dead.event()
    fresh.clock.advance(ms=600_000)
    end = watermark(dead)
    end.body = type(end.body)(end.body.at_ms, NOTHING_FOLLOWS_MS, is_test=False, rows=())
    before = await through(fresh)
    await fresh.ingest([watermark(living), end])
    assert await through(fresh) == before
    await fresh.ingest([unshipped], partition=2)
    assert await through(fresh) == fresh.clock.now()


async def test_when_all_have_ended_nothing_is_missing_until_now(fresh: World) -> None:
    edge = Edge(fresh)
    await fresh.ingest([edge.counter([], through_ms=NOTHING_FOLLOWS_MS)])
    found = await through(fresh)
    assert found is not None
    assert found > fresh.clock.now()
    assert found <= SystemClock().now() + timedelta(seconds=5)


async def test_an_operator_retires_a_writer_that_never_comes_back(
    api: ControlApi, person: Person
) -> None:
    world = World(api.control.database, FixedClock(SystemClock().now_ms()))
    await world.open()
    edge = Edge(world)
    await world.ingest([watermark(edge)])
    name = str(edge.writer)
    async with api.control.database.service() as session:
        await session.execute(_MAKE_OPERATOR, {"id": person.account_id})
        act = OperatorAction(api.control, session, Changes())
        assert name in await names(act, every=False)
        assert (await retire_writer(act, name))["ended"]
        assert name not in await names(act, every=False)
        assert name in await names(act, every=True)
        with pytest.raises(NotFound):
            await retire_writer(act, "edge/nobody")
