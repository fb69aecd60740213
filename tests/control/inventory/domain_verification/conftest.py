"""Two name servers and a web site on loopback, and an API that asks them and nobody else."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from common.fetching.guarded_fetcher import FetchBudget, GuardedFetcher
from common.fetching.web import Fetcher, NotFetched, Page
from common.values.clock import FixedClock
from control.adapters.dns_resolver import DnsResolver
from control.foundation.rate_limit import RateLimiter
from tests.support.control_api import ControlApi, Person
from tests.support.name_server import NameServer, running_name_server
from tests.support.resources import Customer
from tests.support.web_site import WebSite, running_site

START_MS = 1_800_000_000_000
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class _AtPort:
    """The fetcher, with the test's port in place of 80."""

    fetcher: Fetcher
    port: int

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        port = self.port if scheme == "http" else 1
        return await self.fetcher.fetch(f"{scheme}://{host}:{port}/{path}", plain_http=plain_http)


@dataclass(frozen=True, slots=True)
class Outside:
    """The internet as the API under test sees it."""

    api: ControlApi
    one: NameServer
    other: NameServer
    site: WebSite
    clock: FixedClock

    def publish(self, domain: str, *values: str) -> None:
        """As TXT values on both name servers."""
        for server in (self.one, self.other):
            server.text(f"_service-ad.{domain}", *values)

    def unpublish(self, domain: str) -> None:
        for server in (self.one, self.other):
            server.zone.pop((f"_service-ad.{domain}", "TXT"), None)

    def show(self, domain: str, head: str, **answer: Any) -> None:
        """A front page, by http only."""
        for server in (self.one, self.other):
            server.address(domain, LOOPBACK)
        page = f"<!doctype html><html><head><title>T</title>{head}</head><body>B</body></html>"
        self.site.page(f"{domain}/", page, **answer)

    async def owner(self) -> "Owner":
        return Owner(self, Customer(self.api, await self.api.sign_up()))


@dataclass(frozen=True, slots=True)
class Owner:
    outside: Outside
    customer: Customer

    @property
    def person(self) -> Person:
        return self.customer.person

    async def make(self, domain: str | None = None, **changes: Any) -> dict[str, Any]:
        return await self.customer.make_property(domain=domain or a_domain(), **changes)

    async def start(self, site: dict[str, Any], method: str = "dns") -> httpx.Response:
        return await self.customer.post(
            f"/v1/properties/{site['id']}/verification", {"method": method}
        )

    async def verify(self, site: dict[str, Any]) -> httpx.Response:
        return await self.customer.post(f"/v1/properties/{site['id']}/verify")

    async def read(self, site: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = (await self.customer.get(f"/v1/properties/{site['id']}")).json()
        return found

    async def verified(self, domain: str | None = None) -> dict[str, Any]:
        """A property that is verified by a record, which stands."""
        site = await self.make(domain)
        token = (await self.start(site)).json()["token"]
        known = self.outside.one.zone.get((f"_service-ad.{site['domain']}", "TXT"), [])
        self.outside.publish(site["domain"], *(value.strip('"') for value in known), token)
        assert (await self.verify(site)).json()["verified"]
        return await self.read(site)


def a_domain() -> str:
    return f"{uuid4().hex[:12]}.example.net"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(START_MS)


@pytest_asyncio.fixture(loop_scope="session")
async def outside(
    api: ControlApi, clock: FixedClock, servers_folder: Path
) -> AsyncIterator[Outside]:
    assert servers_folder
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(running_name_server())
        other = await stack.enter_async_context(running_name_server())
        site = await stack.enter_async_context(running_site())
        control = api.control
        before = control.resolver, control.fetcher, control.clock
        control.limiter = RateLimiter()  # what it remembers is of another test's clock
        resolver = DnsResolver((one.server, other.server), timeout_s=0.3)
        allowed = FetchBudget(frozenset({LOOPBACK}), frozenset({site.port, 1}))
        control.resolver = resolver
        control.fetcher = _AtPort(
            GuardedFetcher(resolver, user_agent="test", allowance=allowed, deadline_s=5), site.port
        )
        yield Outside(api, one, other, site, clock)
        control.resolver, control.fetcher, control.clock = before
        control.limiter = RateLimiter()
