"""
A worker listens once it holds its first leases, so that its first request meets a budget; it waits for no allocator
that is away, and for a silent one no longer than it says.
"""

import asyncio
import base64
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from common.http.listen import Listener, listen_on
from common.pacing.lease import AHEAD_UNITS
from common.pacing.lease_messages import GrantLine, Grants, encode_grants, parse_report
from common.service.channels import Channels
from common.snapshot.model import Budget, Campaign
from common.values.clock import SystemClock
from common.values.environment import Environment
from control.adapters.redis_leases import RedisLeaseMailbox
from edge.http.route_table import create_app
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient
from edge.state import lease_client
from edge.state.lease_client import begin_s
from edge.wiring import worker_lifetime
from tests.support.builders import KEY_RING, a_key, a_snapshot, a_stock
from tests.support.raw_http import RawAnswer, ask, get
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S, until

_AGENT = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@dataclass
class Beginning:
    """A worker of the live edge whose snapshot is adopted; `opening` ends when it listens."""

    opening: asyncio.Task[Listener]
    port: int
    key: str
    campaign: Campaign

    def serve(self) -> bytes:
        return get("/v1/serve?slot=top", f"X-Service-Key: {self.key}", _AGENT)

    async def is_refused(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except ConnectionRefusedError:
            return True
        writer.close()
        return False

    async def first_answer(self) -> RawAnswer:
        async with asyncio.timeout(PATIENCE_S):
            await self.opening
        return await ask(self.port, self.serve())


def a_worker_s_settings(redis_url: str, namespace: str, folder: Path) -> EdgeSettings:
    keys = {name: base64.b64encode(raw).decode() for name, raw in KEY_RING.keys.items()}
    key_file = folder / "key.json"
    key_file.write_text(json.dumps({"active": KEY_RING.active, "keys": keys}), encoding="utf-8")
    return EdgeSettings(
        environment=Environment.LIVE,
        redis_url=redis_url,
        namespace=namespace,
        key_file=key_file,
        edge_url="https://edge.example",
        spool_dir=folder / "spool",
        snapshot_dir=folder / "snapshot",
    )


@asynccontextmanager
async def beginning(redis_url: str, namespace: str, folder: Path) -> AsyncIterator[Beginning]:
    text, key = a_key()
    stock = a_stock(budget=Budget(10**9, None))
    link = FeedClient("edge-1/0", Environment.LIVE, SystemClock())
    snapshot = a_snapshot(key, *stock.objects)
    link.handle.adopt(snapshot, confirmed_ms=SystemClock().now_ms())
    settings = a_worker_s_settings(redis_url, namespace, folder)
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setblocking(False)  # noqa: FBT003 - its only parameter
    bound.bind(("127.0.0.1", 0))
    port = bound.getsockname()[1]
    app = create_app(worker_lifetime(settings, link))
    opening = asyncio.create_task(listen_on(app, bound))
    try:
        yield Beginning(opening, port, text.text, stock.campaign)
    finally:
        async with asyncio.timeout(PATIENCE_S):
            await (await opening).close(drain_s=0)


@pytest.fixture
async def mailbox(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisLeaseMailbox]:
    opened = RedisLeaseMailbox(redis_server.url, Channels(namespace))
    yield opened
    await opened.close()


def wait_for_leases(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(lease_client, "_BEGIN_S", seconds)
    monkeypatch.setattr(lease_client, "_BEGIN_MOST_S", seconds)


async def test_a_worker_listens_only_once_it_holds_its_leases_and_fills_its_first_call(
    redis_server: RedisServer,
    namespace: str,
    mailbox: RedisLeaseMailbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wait_for_leases(monkeypatch, PATIENCE_S)  # so that only the grants can end the wait
    async with beginning(redis_server.url, namespace, tmp_path) as worker:

        async def has_asked() -> bool:
            return len(await mailbox.reports()) == 1

        await until(has_asked)
        refused = await worker.is_refused()
        ((name, raw),) = (await mailbox.reports()).items()
        ahead = AHEAD_UNITS * worker.campaign.bid_micros
        line = GrantLine(worker.campaign.id, ahead, 0, 0, "", recalled=False)
        grants = Grants(1, 1, parse_report(raw).sequence, (line,))
        await mailbox.put({name: encode_grants(grants)})
        first = await worker.first_answer()

    assert refused
    assert (first.status, first.headers.get("x-no-fill-reason")) == (200, None)


async def test_a_worker_that_nobody_grants_anything_listens_after_its_wait(
    redis_server: RedisServer, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_leases(monkeypatch, 0.05)
    async with beginning(redis_server.url, namespace, tmp_path) as worker:
        first = await worker.first_answer()

    assert first.status == 204


async def test_a_worker_without_redis_does_not_wait_for_leases(
    namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_leases(monkeypatch, 10 * PATIENCE_S)
    nobody = f"unix://{tmp_path}/nobody-listens.sock"
    async with beginning(nobody, namespace, tmp_path) as worker, asyncio.timeout(PATIENCE_S):
        await worker.opening

        assert not await worker.is_refused()


def test_a_worker_waits_two_seconds_for_leases_at_most() -> None:
    assert begin_s(0) < begin_s(10_000) < begin_s(100_000) == begin_s(10**6) == 2.0
