"""What a worker writes down, and that writing costs no answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from common.decision.explain import explain
from common.decision.record import DecisionRecord, decision_input_of, is_same
from common.snapshot.snapshot import Snapshot
from common.tracking.event import WriterId
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.spool.spool import Spool
from edge.state.decision_recorder import DecisionRecorder
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer
from tests.support.spools import fill_up, raw_bytes, until

ALL = 1_000_000


@dataclass(slots=True)
class World:
    edge: RunningEdge
    spool: Spool
    snapshot: Snapshot
    pk: str
    sk: str

    @property
    def recorder(self) -> DecisionRecorder:
        return self.edge.context.decisions

    async def ask(self, query: str) -> RawAnswer:
        return await self.edge.serve(query, self.pk)

    async def debug(self, query: str) -> RawAnswer:
        return await self.edge.get(f"/v1/serve?{query}&debug=1", f"Authorization: Bearer {self.sk}")

    async def records(self, count: int = 1) -> list[DecisionRecord]:
        """All that was kept, once there are *count* on disk."""
        await until(lambda: self.recorder.kept >= count)
        bodies = [record.body for record in await self.spool.read(0, 1_000)]
        return [body for body in bodies if isinstance(body, DecisionRecord)]


@asynccontextmanager
async def a_world(
    folder: Path,
    environment: Environment = Environment.LIVE,
    *,
    sample_ppm: int = 0,
    max_bytes: int = 1 << 20,
) -> AsyncIterator[World]:
    """One ad for the slot ``top``, none for ``empty``."""
    publishable, pk = a_key(KeyKind.PUBLISHABLE, environment)
    secret, sk = a_key(KeyKind.SECRET, environment)
    campaign = a_campaign(environment=environment)
    slots = a_slot(), a_slot(key="empty", formats=(Format.NATIVE,))
    snapshot = a_snapshot(
        *slots, campaign, an_ad(campaign, environment=environment), pk, sk, environment=environment
    )
    spool = Spool.open(folder, WriterId("edge", "1" * 32), max_bytes=max_bytes, sync_ms=0)
    async with running_edge(snapshot) as edge:
        context = edge.context
        context.decisions = DecisionRecorder(spool, context.spool, sample_ppm=sample_ppm)
        yield World(edge, spool, snapshot, publishable.text, secret.text)
        await spool.close()


async def test_a_fill_is_recorded_with_everything_needed_to_repeat_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, sample_ppm=ALL) as world:
        served = (await world.ask("slot=top&w=300&keywords=news")).json
        (record,) = await world.records()

    decision_input = decision_input_of(record, world.snapshot)
    again = explain(
        world.snapshot,
        decision_input.opportunity,
        decision_input.gates,
        decision_input.now_ms,
        decision_input.seed,
    )
    assert (record.id, record.ad_id) == (served["decision_id"], served["ad_id"])
    assert is_same(record, again.decision)
    assert decision_input.opportunity.width == 300


async def test_a_no_fill_in_test_has_a_decision_id_and_its_reason(tmp_path: Path) -> None:
    async with a_world(tmp_path, Environment.TEST, sample_ppm=ALL) as world:
        answer = await world.ask("slot=empty")
        (record,) = await world.records()

    assert answer.status == 204
    assert answer.headers["x-decision-id"] == record.id
    assert answer.headers["x-no-fill-reason"] == record.reason


async def test_a_live_caller_gets_no_details_of_a_no_fill(tmp_path: Path) -> None:
    async with a_world(tmp_path, sample_ppm=ALL) as world:
        answer = await world.ask("slot=empty")

    assert answer.status == 204
    assert not {"x-decision-id", "x-no-fill-reason"} & answer.headers.keys()


async def test_debug_decisions_are_always_recorded_and_unsampled_ones_never(tmp_path: Path) -> None:
    async with a_world(tmp_path) as world:
        await world.ask("slot=top")
        debugged = (await world.debug("slot=top")).json
        records = await world.records()

    assert [record.id for record in records] == [debugged["decision_id"]]


async def test_no_record_names_the_person(tmp_path: Path) -> None:
    async with a_world(tmp_path, sample_ppm=ALL) as world:
        await world.ask("slot=top&uid=ann-4711&gdpr=0")
        await world.records()
        written = raw_bytes(tmp_path)

    assert len(written) > 100
    assert b"ann-4711" not in written
    assert b"127.0.0.1" not in written


async def test_a_full_spool_of_records_drops_them_and_serves_on(tmp_path: Path) -> None:
    async with a_world(tmp_path, sample_ppm=ALL, max_bytes=4_000) as world:
        statuses = {(await world.ask("slot=top")).status}
        await until(lambda: world.recorder.kept == 1)
        statuses |= {(await world.ask("slot=top")).status for _ in range(39)}
        await until(lambda: world.recorder.kept + world.recorder.dropped == 40)
        kept = world.recorder.kept

    assert statuses == {200}
    assert 0 < kept < 10


async def test_when_events_need_the_disk_records_are_dropped_first(tmp_path: Path) -> None:
    async with a_world(tmp_path, Environment.TEST, sample_ppm=ALL) as world:
        await fill_up(world.edge.context.spool)
        answer = await world.ask("slot=top")
        records = await world.records(0)

    assert answer.headers["x-no-fill-reason"] == "spool_full"
    assert (records, world.recorder.dropped) == ([], 1)
