"""Faults of edges: their workers, their snapshots, their spool, their connections, the geo database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from signal import SIGCONT, SIGKILL, SIGSTOP
from uuid import uuid4

import httpx

from common.values.environment import Environment
from deploy.drills.second_edge import SecondEdge
from deploy.standalone.geo import demo_geo_path, write_geo_database
from deploy.standalone.process import send
from edge.spool.segment import segment_path
from tests.deploy.alerts.faults_of_servers import pulse
from tests.deploy.alerts.world import World, repeated

_SPOOL_BYTES = 131_072
_TOKENS = 1_000
"""More events than fit into a spool of this size."""
_STALLED_S = 1.0
"""Twice the interval at which a worker with little to do measures the lag, so that no stall lies between two ticks."""
_CONNECTIONS = 300
_OTHER_ADDRESS = "127.0.0.2"
_BUILT_S = 1_700_000_000
_DIGESTS = 1 << 256


class EdgeWithoutSnapshot(SecondEdge):
    """It is started where it responds that it is not ready."""

    def _is_up(self) -> bool:
        try:
            answer = httpx.get(f"{self.url}/readyz")
        except httpx.TransportError:
            return False
        return answer.status_code == httpx.codes.SERVICE_UNAVAILABLE


@asynccontextmanager
async def an_edge_has_no_snapshot(world: World) -> AsyncIterator[None]:
    """It is new, and reaches neither Redis nor publish."""
    nowhere = {
        "PLACARD_SNAPSHOT_REDIS_URL": f"unix://{world.on.folder}/nothing.sock?db=0",
        "PLACARD_SNAPSHOT_URL": "",
    }
    async with world.second_edge(nowhere, make=EdgeWithoutSnapshot) as edge:
        traffic = world.traffic_of(edge)
        async with repeated(lambda: traffic.serve(5)):
            yield


@asynccontextmanager
async def ingest_is_frozen_until_a_spool_is_full(world: World) -> AsyncIterator[None]:
    """On Redis Streams, the spool keeps a record until ingest has committed it."""
    small = {"PLACARD_SPOOL_MAX_BYTES": str(_SPOOL_BYTES)}
    async with world.second_edge(small) as edge:
        traffic = world.traffic_of(edge)
        await traffic.until_it_serves()
        tokens = await traffic.serve(_TOKENS)
        with world.on.stack.frozen("ingest"):
            await traffic.track(tokens)
            async with repeated(lambda: traffic.track(tokens[-20:])):
                yield


@asynccontextmanager
async def a_segment_cannot_be_read(world: World) -> AsyncIterator[None]:
    """The last one of a worker that died. A folder in its place gives an error at each read."""
    async with world.second_edge() as edge:
        dead = edge.folder / "spool" / f"{edge.folder.name}-{uuid4().hex}"
        segment_path(dead, 1).mkdir(parents=True)
        (dead / "lock").touch()
        yield


@asynccontextmanager
async def a_worker_is_frozen(world: World) -> AsyncIterator[None]:
    pids = world.on.stack.edge_workers("test")
    send(pids, SIGSTOP)
    try:
        yield
    finally:
        send(pids, SIGCONT)


@asynccontextmanager
async def a_worker_stalls(world: World) -> AsyncIterator[None]:
    pids = world.on.stack.edge_workers("live")

    async def stall() -> None:
        await pulse(lambda: send(pids, SIGSTOP), lambda: send(pids, SIGCONT), stopped_s=_STALLED_S)

    async with repeated(stall):
        yield


@asynccontextmanager
async def a_worker_dies_at_each_start(world: World) -> AsyncIterator[None]:
    async def kill() -> None:
        send(world.on.stack.edge_workers("test"), SIGKILL)

    async with repeated(kill):
        yield


@asynccontextmanager
async def objects_do_not_match_the_digest(world: World) -> AsyncIterator[None]:
    """Ends by the remedy of the runbook."""
    await world.execute(
        "update snapshot_head set digest_live = mod(digest_live + 1, cast($1 as text)::numeric)",
        str(_DIGESTS),
    )
    try:
        yield
    finally:
        async with world.redis() as redis:
            await redis.delete(world.channels.snapshot_full(Environment.LIVE))
        await world.await_silence({"SnapshotRejected"})


@asynccontextmanager
async def too_many_connections_are_opened(world: World) -> AsyncIterator[None]:
    """From an address of their own, so that the limit of an address does not refuse the other clients."""
    url = httpx.URL(world.traffic.edge_url)
    async with AsyncExitStack() as ending:
        for _ in range(_CONNECTIONS):
            _, writer = await asyncio.open_connection(
                url.host, url.port, local_addr=(_OTHER_ADDRESS, 0)
            )
            ending.callback(writer.close)
        yield


@asynccontextmanager
async def the_geo_database_is_old(world: World) -> AsyncIterator[None]:
    path = demo_geo_path(world.on.stack.state)
    new = path.with_suffix(".old")
    new.write_bytes(_with_built_s(path.read_bytes(), _BUILT_S))
    new.replace(path)
    try:
        yield
    finally:
        write_geo_database(path)


def _with_built_s(content: bytes, built_s: int) -> bytes:
    """A file of MaxMind's format with another ``build_epoch``: its value follows two bytes of type and length."""
    before, name, after = content.rpartition(b"build_epoch")
    length = after[0]
    return before + name + after[:2] + built_s.to_bytes(length, "big") + after[2 + length :]
