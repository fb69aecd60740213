"""A stack under steady traffic, with a mail server and a real Prometheus, whose parts the tests of alerts break."""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from deploy.drills.ground import Ground, ground
from deploy.drills.oracle import Traffic
from deploy.drills.second_edge import SecondEdge
from deploy.standalone.programs import PROMETHEUS_TARGETS
from deploy.standalone.server import started
from tests.e2e.customer import Customer
from tests.support.mail_server import MailServer, mail_server
from tests.support.prometheus import prometheus, result
from tests.support.stack_admin import verify
from tests.support.waiting import PATIENCE_S

_SETTINGS = {"PLACARD_EDGE_WORKERS": "1", "PLACARD_CONNECTIONS_PER_ADDRESS": "100"}
_CAP = {
    "scope": "campaign",
    "event": "impression",
    "limit": 1,
    "window": {"interval": 1, "unit": "day"},
}
_VISITORS = 3
_PAUSE_S = 0.1
_LOOK_S = 0.2
# Without the burn rates over three days, which are twelve minutes here: a fault would fire them in the tests after it.
_FIRING = 'ALERTS{alertstate="firing",window!="3d"}'


@dataclass(frozen=True, slots=True)
class World:
    """
    ``campaign_id``: a campaign of ``customer`` with a frequency cap. ``traffic``: of the live edge, by a key without a
    limit per address. ``metrics``: a client of Prometheus, which scrapes ``targets``.
    """

    on: Ground
    customer: Customer
    campaign_id: str
    traffic: Traffic
    mails: MailServer
    metrics: httpx.AsyncClient
    targets: Path

    @property
    def channels(self) -> Channels:
        return Channels(self.on.stack.environment["PLACARD_NAMESPACE"])

    async def await_silence(self, names: Collection[str]) -> None:
        """Waits until none of the alerts *names* fires."""
        deadline = time.monotonic() + PATIENCE_S
        while still := (await self._firing()).intersection(names):
            assert time.monotonic() < deadline, f"{sorted(still)} fire for too long"
            await asyncio.sleep(_LOOK_S)

    async def await_firing(self, names: Collection[str]) -> dict[str, float]:
        """Waits until each of the alerts *names* has fired. Returns the seconds until each did."""
        began_s = time.monotonic()
        took_s: dict[str, float] = {}
        while missing := set(names).difference(took_s):
            for name in (await self._firing()).intersection(missing):
                took_s[name] = time.monotonic() - began_s
            assert time.monotonic() < began_s + PATIENCE_S, f"{sorted(missing)} did not fire"
            await asyncio.sleep(_LOOK_S)
        return took_s

    async def execute(self, statement: str, *values: object) -> str:
        """Runs SQL without row security. Returns the command tag, such as ``UPDATE 1``."""
        connection = await asyncpg.connect(self.on.postgres.url)
        try:
            tag: str = await connection.execute(statement, *values)
            return tag
        finally:
            await connection.close()

    @asynccontextmanager
    async def redis(self) -> AsyncIterator[Redis]:
        client = patient_redis(self.on.redis.url, connect_s=1.0)
        try:
            yield client
        finally:
            await client.aclose()

    @asynccontextmanager
    async def second_edge(
        self, settings: Mapping[str, str] | None = None, *, make: type[SecondEdge] = SecondEdge
    ) -> AsyncIterator[SecondEdge]:
        """Another edge of the live environment. Prometheus scrapes it during the body."""
        folder = self.on.folder / f"edge-{uuid4().hex[:8]}"
        with started(make(folder, self.on.stack.edge_environment | dict(settings or {}))) as edge:
            address = f"127.0.0.1:{edge.environment['PLACARD_INTERNAL_PORT']}"
            scraped = json.loads(self.targets.read_bytes())
            self._scrape([*scraped, {"targets": [address], "labels": {"job": "edge"}}])
            try:
                yield edge
            finally:
                self._scrape(scraped)

    def traffic_of(self, edge: SecondEdge) -> Traffic:
        return replace(self.traffic, edge_url=edge.url)

    async def _firing(self) -> set[str]:
        found = await result(self.metrics, _FIRING)
        return {str(one["metric"]["alertname"]) for one in found}

    def _scrape(self, targets: list[Any]) -> None:
        new = self.targets.with_suffix(".new")
        new.write_text(json.dumps(targets), encoding="utf-8")
        new.replace(self.targets)


@asynccontextmanager
async def running_world(folder: Path) -> AsyncIterator[World]:
    """*folder*: of Prometheus."""
    async with mail_server() as mails, httpx.AsyncClient(timeout=20) as http:
        settings = _SETTINGS | {"PLACARD_MAIL_URL": f"{mails.url}?starttls=never"}
        with ground(settings=settings) as on:
            targets = folder / "targets.json"
            shutil.copy(on.stack.state / PROMETHEUS_TARGETS, targets)
            customer = await _sign_up(on, http)
            campaign_id = await customer.run_campaign("live", frequency_caps=[_CAP])
            changed_id = await customer.run_campaign("test")
            traffic = Traffic.on(on.stack.demo, on.postgres.url, http)
            visits = [lambda: _visit(customer)] * _VISITORS
            async with (
                prometheus(folder, targets) as metrics,
                repeated(*visits, lambda: _change(customer, changed_id)),
            ):
                yield World(on, customer, campaign_id, traffic, mails, metrics, targets)


@asynccontextmanager
async def repeated(*acts: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Runs each of *acts* again and again during the body. Raises what one of them raised."""
    ended = asyncio.Event()
    tasks = [asyncio.create_task(_repeat(act, ended)) for act in acts]
    try:
        yield
    finally:
        ended.set()
        await asyncio.gather(*tasks)


async def _repeat(act: Callable[[], Awaitable[object]], ended: asyncio.Event) -> None:
    while not ended.is_set():
        with suppress(httpx.TransportError):
            await act()
        await asyncio.sleep(_PAUSE_S)


async def _sign_up(on: Ground, http: httpx.AsyncClient) -> Customer:
    customer = await Customer.sign_up(on.stack.demo, http)
    await customer.set_up()
    verify(on.stack, email=customer.email, property_id=customer.property_id)
    return customer


async def _visit(customer: Customer) -> None:
    """A new visitor, whose frequency counts no edge has cached."""
    answer = await customer.serve("live", uid=uuid4().hex, gdpr="0")
    if answer.status_code == httpx.codes.OK:
        await customer.track("live", answer.json()["track_token"])


async def _change(customer: Customer, campaign_id: str) -> None:
    for act in ("pause", "resume"):
        await customer.ask("POST", f"/v1/campaigns/{campaign_id}/{act}")
