"""The internal HTTP of publish, asked by what edges ask it with: real PostgreSQL, no Redis at all."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import orjson
import pytest
import pytest_asyncio
from sqlmodel import col, delete, select

from common.http.listen import listen
from common.service.secrets import KeyRing
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.pull_auth import SignedPull, sign_pull
from common.snapshot.status import WorkerStatus, encode_status
from common.values.clock import FixedClock, SystemClock, to_ms
from common.values.environment import Environment
from control.delivery.edge_status.ack_collector import AckCollector
from control.delivery.snapshot_publishing.pull_responses import PullResponses
from control.processes.snapshot_pull_server import pull_app
from control.storage.database import Database
from control.storage.tables.edges import EdgeWorkerRow
from control.storage.tables.outbox import OutboxRow
from edge.adapters.http_snapshots import HttpSnapshotPull
from edge.ports import SnapshotSourceUnavailable
from edge.snapshots.state import parse_state
from tests.control.delivery.snapshot_publishing.world import World
from tests.support.builders import KEY_RING
from tests.support.http_client import http_client
from tests.support.memory_channel import MemorySnapshotChannel

TEST, LIVE = Environment.TEST, Environment.LIVE
OUTSIDER = KeyRing("k1", {"k1": b"another group's root key, 32 byt"})


@dataclass(frozen=True, slots=True)
class Publish:
    database: Database
    url: str

    def pull(self, keys: KeyRing = KEY_RING, environment: Environment = TEST) -> HttpSnapshotPull:
        return HttpSnapshotPull(self.url, keys, environment, SystemClock(), call_s=20.0)


@pytest_asyncio.fixture
async def publish(database: Database) -> AsyncIterator[Publish]:
    clock = SystemClock()
    reports = AckCollector(database, MemorySnapshotChannel(), clock)
    app = pull_app(KEY_RING, clock, PullResponses(database, clock), reports)
    listener = await listen(app, host="127.0.0.1", port=0)
    yield Publish(database, f"http://127.0.0.1:{listener.port}")
    await listener.close(drain_s=0.2)


@pytest_asyncio.fixture
async def pull(publish: Publish) -> AsyncIterator[HttpSnapshotPull]:
    made = publish.pull()
    yield made
    await made.close()


async def test_an_edge_loads_the_state_and_follows_it(
    publish: Publish, pull: HttpSnapshotPull
) -> None:
    world = await World.make(publish.database)
    full = await pull.full()
    assert full is not None
    state = parse_state(full)
    for cents in (10, 20, 30):
        world.slot.floor_cents = cents
        await world.save(world.slot)
    before_ms = SystemClock().now_ms()
    await asyncio.sleep(0.11)  # a head is given for 100 ms
    head = await pull.head()
    assert head is not None
    for delta in await pull.deltas(state.version, head.version) or ():
        state.apply(delta)
    assert (state.epoch, state.version, state.digest) == (head.epoch, 4, head.digest)
    assert head.at_ms >= before_ms


async def test_each_environment_gets_its_own_objects(publish: Publish) -> None:
    world = await World.make(publish.database)
    for environment in Environment:
        pull = publish.pull(environment=environment)
        head, full = await pull.head(), await pull.full()
        assert head is not None
        assert full is not None
        assert parse_state(full).digest == head.digest
        has_key = world.key.id in {entry.id for entry in full.entries}
        assert has_key is (world.key.environment == environment)
        await pull.close()


async def test_deleted_and_too_many_deltas_are_not_returned(
    publish: Publish, pull: HttpSnapshotPull
) -> None:
    world = await World.make(publish.database)
    world.slot.floor_cents = 11
    await world.save(world.slot)
    assert await pull.deltas(0, 3) is None
    assert await pull.deltas(0, 5000) is None
    async with publish.database.service() as session:
        await session.execute(delete(OutboxRow).where(col(OutboxRow.version) == 1))
    assert await pull.deltas(0, 2) is None
    assert len(await pull.deltas(1, 2) or ()) == 1


async def test_many_that_ask_at_once_are_all_answered(publish: Publish) -> None:
    await World.make(publish.database)
    pulls = [publish.pull() for _ in range(30)]
    fulls = await asyncio.gather(*(pull.full() for pull in pulls))
    assert len({full.digest for full in fulls if full is not None}) == 1
    assert None not in fulls
    for pull in pulls:
        await pull.close()


async def test_a_caller_without_a_key_of_the_group_gets_401(publish: Publish) -> None:
    await World.make(publish.database)
    pull = publish.pull(OUTSIDER)
    with pytest.raises(SnapshotSourceUnavailable, match=r"401.*PLACARD_KEY_FILE"):
        await pull.head()
    assert not await pull.report({"edge-1/0": b"{}"})
    await pull.close()
    async with http_client(base_url=publish.url) as http:
        for path in ("head", "full", "deltas?after=0&through=1"):
            answer = await http.get(f"/snapshot/test/{path}")
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_key")


async def test_a_request_a_minute_old_cannot_be_replayed(publish: Publish) -> None:
    pull = SignedPull("GET", "/snapshot/test/head")
    long_ago_ms = SystemClock().now_ms() - 60_000
    async with http_client(base_url=publish.url) as http:
        for at_ms, status in ((long_ago_ms, 401), (SystemClock().now_ms(), 200)):
            proof = sign_pull(KEY_RING, pull, at_ms)
            answer = await http.get(pull.target, headers={"Authorization": proof})
            assert answer.status_code == status


async def test_an_edge_with_a_wrong_clock_receives_the_difference(publish: Publish) -> None:
    clock = FixedClock(SystemClock().now_ms() - 3_600_000)
    pull = HttpSnapshotPull(publish.url, KEY_RING, TEST, clock)
    with pytest.raises(SnapshotSourceUnavailable, match=r"clocks are 36\d\d s apart"):
        await pull.head()
    await pull.close()


async def test_an_answer_without_the_control_planes_proof_is_refused() -> None:
    async def forge(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Snapshot-Proof: 00\r\n\r\nhi")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(forge, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    pull = HttpSnapshotPull(f"http://127.0.0.1:{port}", KEY_RING, TEST, SystemClock())
    with pytest.raises(SnapshotInvalid, match="proof"):
        await pull.head()
    await pull.close()
    server.close()


async def test_a_refused_connection_and_a_timeout_are_unavailable() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for url in ("http://127.0.0.1:1", f"http://127.0.0.1:{port}"):
        pull = HttpSnapshotPull(url, KEY_RING, TEST, SystemClock(), call_s=0.2)
        with pytest.raises(SnapshotSourceUnavailable, match="PLACARD_SNAPSHOT_URL"):
            await pull.head()
        await pull.close()
    server.close()


@pytest.mark.parametrize(
    "target",
    ["/snapshot/prod/head", "/snapshot/test/deltas", "/snapshot/test/deltas?after=-1&through=x"],
)
async def test_a_missing_state_is_404(publish: Publish, target: str) -> None:
    proof = sign_pull(KEY_RING, SignedPull("GET", target), SystemClock().now_ms())
    async with http_client(base_url=publish.url) as http:
        answer = await http.get(target, headers={"Authorization": proof})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


A_STATUS = WorkerStatus(
    "edge-1/0", "e", 7, "d", ok=True, reason=None, age_s=0.5, at_ms=1, boot="b1"
)


async def test_worker_reports_reach_control_without_redis(
    publish: Publish, pull: HttpSnapshotPull
) -> None:
    nack = replace(A_STATUS, worker="edge-1/1", version=6, ok=False, reason="no\0thing fits")
    reported = {one.worker: encode_status(one) for one in (A_STATUS, nack)}
    before = SystemClock().now_ms()
    assert await pull.report(reported)
    async with publish.database.service() as session:
        rows = (await session.scalars(select(EdgeWorkerRow))).all()
    assert {(row.worker, row.version, row.ok, row.nack_reason) for row in rows} == {
        ("edge-1/0", 7, True, None),
        ("edge-1/1", 6, False, "nothing fits"),
    }
    assert all(to_ms(row.seen_at) >= before for row in rows)


async def test_an_invalid_list_of_statuses_changes_nothing(publish: Publish) -> None:
    target = "/snapshot/test/workers"
    async with http_client(base_url=publish.url) as http:
        for body in (b"", b"{}x", b"7", b'[{"worker":1}]', orjson.dumps(["x"])):
            pull = SignedPull("POST", target, body)
            proof = sign_pull(KEY_RING, pull, SystemClock().now_ms())
            answer = await http.post(target, content=body, headers={"Authorization": proof})
            assert answer.status_code == 422, body
    async with publish.database.service() as session:
        assert not (await session.scalars(select(EdgeWorkerRow))).all()
