"""Missing records are found, distinguished from late ones, requested, and dropped when they have arrived."""

from typing import Any

from sqlalchemy import text

from common.tracking.reconcile import Retained
from control.api.context import ControlContext
from control.events.reconciliation.job import make_pass
from control.processes.reconcile import explain_hours
from tests.control.events.ingest.world import Edge, World
from tests.control.events.reconciliation.conftest import FakeMailbox

HOUR_MS = 3_600_000


async def gap(world: World) -> Any:
    rows = await world.rows(
        "select writer, cast(missing as text) as missing, cast(standing as text) as standing, "
        "asked_at, told_at, sent, closed_at from writer_gaps"
    )
    return rows[0] if rows else None


async def test_complete_records_report_no_gap(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    await world.ingest([edge.event() for _ in range(5)])
    outcome = await make_pass(control)
    assert (outcome.missing, await gap(world), mailbox.asked) == (0, None, {})


async def test_records_missing_twice_are_requested(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    records = [edge.event() for _ in range(9)]
    await world.ingest([*records[:3], *records[5:7], *records[8:]])
    first = await make_pass(control)
    assert (first.missing, mailbox.asked) == (0, {})
    second = await make_pass(control)
    assert second.missing == 3
    assert mailbox.asked[str(edge.writer)].ranges == ((4, 5), (8, 8))
    assert control.metrics.registry.get_sample_value("placard_reconcile_missing_records") == 3


async def test_late_records_are_never_requested(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    records = [edge.event() for _ in range(6)]
    await world.ingest([*records[:2], records[3]])
    await make_pass(control)
    await world.ingest([records[2], records[5]])
    outcome = await make_pass(control)
    assert (outcome.missing, mailbox.asked) == (0, {})
    assert (await gap(world)).missing == "{[5,6)}"


async def test_records_that_arrived_again_are_no_longer_requested(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    records = [edge.event() for _ in range(6)]
    await world.ingest([*records[:2], *records[3:]])
    for _ in range(2):
        await make_pass(control)
    (wanted,) = mailbox.asked.values()
    mailbox.on_disk = {str(edge.writer): Retained(world.clock.now_ms(), 6, wanted.asked_ms, 1)}
    await world.ingest(records)
    outcome = await make_pass(control)
    assert (outcome.missing, mailbox.asked) == (0, {})
    row = await gap(world)
    assert (row.missing, row.standing, row.sent) == ("{}", "{}", 1)
    assert None not in (row.asked_at, row.told_at, row.closed_at)


async def test_what_the_disk_of_a_dead_writer_holds_beyond_its_last_record_is_missing(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    unheard = Edge(world)
    await world.ingest([edge.event() for _ in range(3)])
    now_ms = world.clock.now_ms()
    mailbox.on_disk = {
        str(edge.writer): Retained(now_ms, 5),
        str(unheard.writer): Retained(now_ms, 2),
    }
    for _ in range(2):
        outcome = await make_pass(control)
    assert outcome.missing == 4
    assert mailbox.asked[str(edge.writer)].ranges == ((4, 5),)
    assert mailbox.asked[str(unheard.writer)].ranges == ((1, 2),)


async def test_without_redis_the_pass_runs_and_requests_wait(
    world: World, edge: Edge, control: ControlContext, mailbox: FakeMailbox
) -> None:
    records = [edge.event() for _ in range(3)]
    await world.ingest([records[0], records[2]])
    mailbox.away = True
    for _ in range(2):
        outcome = await make_pass(control)
    assert (outcome.missing, outcome.mailbox_unavailable) == (1, "Redis is away.")
    assert (await gap(world)).asked_at is None
    mailbox.away = False
    await make_pass(control)
    assert mailbox.asked[str(edge.writer)].ranges == ((2, 2),)
    assert (await gap(world)).asked_at is not None


async def test_an_hour_with_records_missing_from_the_sums_is_reported(
    world: World, edge: Edge, control: ControlContext
) -> None:
    hour = world.clock.now_ms() // HOUR_MS
    await world.ingest([edge.event(), edge.counter([], appended=((hour, 2),), shipped=1)])
    world.clock.advance(ms=2 * HOUR_MS)
    assert (await make_pass(control)).uncounted == []
    await world.ingest([edge.counter([], appended=((hour, 7),))])
    (found,) = (await make_pass(control)).uncounted
    assert (found.writer, found.count) == (str(edge.writer), 5)


async def test_an_explanation_shows_sums_gaps_and_what_was_done(
    world: World, edge: Edge, control: ControlContext
) -> None:
    records = [edge.event() for _ in range(3)]
    hour = world.clock.now_ms() // HOUR_MS
    reported = edge.counter([], appended=((hour, 4),), shipped=3)
    await world.ingest([records[0], records[2], reported])
    for _ in range(2):
        await make_pass(control)
    lines = await explain_hours(control, hours=24, writer=str(edge.writer))
    shown = "\n".join(lines)
    assert "appended 4, shipped 3, committed 3" in shown
    assert "missing {[2,3)}" in shown
    assert "requested 20" in shown
    assert lines[-1].split()[1:6] == ["4", "3", "0", "0", "1"]


async def test_the_lanes_of_removed_writers_are_removed(
    world: World, edge: Edge, control: ControlContext
) -> None:
    await world.ingest([edge.event()])
    async with world.database.service() as session:
        await session.execute(text("delete from writer_marks"))
    await make_pass(control)
    assert await world.rows("select writer from writer_lanes") == []
