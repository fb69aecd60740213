"""The real edge, as `python -m edge` starts it, on a real Redis: serves, tracks, and loses nothing when killed."""

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.openmetrics import parser as openmetrics
from redis.asyncio import Redis

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.version import VERSION
from common.snapshot.model import Key
from common.tracking.event import EventRecord
from common.tracking.record import parse_record
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.edge.runtime.machine import Machine, get, send
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.builders import a_key, a_property, a_stock, an_account
from tests.support.http_client import http_client
from tests.support.lone_edge import lone_edge
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36"


@dataclass
class Edge:
    machine: Machine
    published: Published
    channel: RedisChannel
    redis: Redis
    names: Channels
    key_text: str
    key: Key

    async def serve(self) -> httpx.Response:
        """On a connection of its own, so that the kernel picks a worker."""
        async with self._client() as client:
            return await client.get("/v1/serve", params={"slot": "top"})

    async def track(self, token: str) -> int:
        """The status; tried again while a worker is away, as a client library does."""
        for _ in range(50):
            try:
                async with self._client() as client:
                    body = {"token": token, "event": "impression"}
                    return (await client.post("/v1/track", json=body)).status_code
            except httpx.TransportError:
                await asyncio.sleep(0.05)
        raise AssertionError("the edge did not come back")

    async def stored_tokens(self) -> list[str]:
        """Token ids of the events in the log, repeats included."""
        found = []
        for partition in range(LOG_PARTITIONS):
            entries: Any = await self.redis.xrange(self.names.log_stream(partition))
            for _, fields in entries:
                record = parse_record(fields[b"r"])
                if isinstance(record.body, EventRecord):
                    found.append(str(record.body.token_id))
        return found

    def _client(self) -> httpx.AsyncClient:
        headers = {"X-Service-Key": self.key_text, "User-Agent": BROWSER}
        address = f"http://{self.machine.address}"
        return http_client(base_url=address, headers=headers, timeout=PATIENCE_S)


@pytest.fixture
async def edge(redis_server: RedisServer, namespace: str, tmp_path: Path) -> AsyncIterator[Edge]:
    key_text, key = a_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    stock = (an_account(), a_property(), key, *a_stock().objects)
    async with lone_edge(redis_server.url, namespace, tmp_path, *stock) as lone:
        yield Edge(
            lone.machine, lone.published, lone.channel, lone.redis, lone.names, key_text.text, key
        )


async def until_stored(edge: Edge, tokens: set[str]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not tokens <= set(await edge.stored_tokens()):  # noqa: ASYNC110 - comes by Redis
            await asyncio.sleep(0.05)


async def test_an_ad_is_served_and_its_impression_reaches_the_log(edge: Edge) -> None:
    answer = await edge.serve()
    assert answer.status_code == 200, answer.text
    assert await edge.track(answer.json()["track_token"]) == 204
    await until_stored(edge, {answer.json()["decision_id"]})


async def test_a_revoked_key_is_refused_by_every_worker(edge: Edge) -> None:
    assert (await edge.serve()).status_code == 200
    delta = edge.published.put_objects(replace(edge.key, revoked_at_ms=1))
    await edge.channel.publish(delta, edge.published.beat())

    def reached() -> bool:
        workers = edge.machine.snapshot()["workers"]
        return [one["status"]["version"] for one in workers] == [2, 2]

    await asyncio.to_thread(edge.machine.wait_until, reached)
    answers: list[dict[str, Any]] = [(await edge.serve()).json() for _ in range(12)]
    assert {one["error"]["code"] for one in answers} == {"key_revoked"}


async def test_a_worker_killed_under_load_loses_no_acknowledged_event(edge: Edge) -> None:
    acknowledged: set[str] = set()

    async def visit() -> None:
        for _ in range(15):
            try:
                answer = await edge.serve()
            except httpx.TransportError:
                continue
            if await edge.track(answer.json()["track_token"]) == 204:
                acknowledged.add(answer.json()["decision_id"])

    async with asyncio.TaskGroup() as visits:
        for _ in range(4):
            visits.create_task(visit())
        await asyncio.sleep(0.4)
        send(edge.machine.worker_pids()[0], signal.SIGKILL)
    assert acknowledged
    await until_stored(edge, acknowledged)


async def test_shutdown_drains_the_spool(edge: Edge) -> None:
    answers = [(await edge.serve()).json() for _ in range(5)]
    for answer in answers:
        assert await edge.track(answer["track_token"]) == 204
    edge.machine.ask_to_stop()
    assert await asyncio.to_thread(edge.machine.wait_ended) == 0
    assert {answer["decision_id"] for answer in answers} <= set(await edge.stored_tokens())


async def test_metrics_include_every_worker(edge: Edge) -> None:
    await edge.serve()
    _, text = await asyncio.to_thread(get, edge.machine.internal, "/metrics")
    fills = [line for line in text.splitlines() if line.startswith("placard_edge_decisions_total")]
    assert sum(float(line.rpartition(" ")[2]) for line in fills) == 1
    assert all('worker="' in line for line in fills)


async def test_metrics_are_openmetrics_if_a_scraper_requests_it(edge: Edge) -> None:
    await edge.serve()
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    _, text = await asyncio.to_thread(get, edge.machine.internal, "/metrics", accept)

    families = {one.name: one for one in openmetrics.text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]

    assert text.endswith("# EOF\n")
    assert "_created" not in text
    workers = {sample.labels.get("worker") for sample in families["process_open_fds"].samples}
    assert workers == {None, "0", "1"}
    (version,) = {one.labels["version"] for one in families["placard_build_info"].samples}
    assert version == VERSION
    served = [
        sample.value
        for sample in families["placard_edge_request_seconds"].samples
        if sample.name.endswith("_count") and sample.labels["outcome"] == "ok"
    ]
    assert sum(served) == 1
