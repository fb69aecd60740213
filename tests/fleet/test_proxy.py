"""The proxy in front of the edges, with small servers in their place."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from tests.fleet.network import Network, Zone
from tests.fleet.servers import EDGE, install_programs, make_proxy

pytestmark = pytest.mark.fleet

_SLOW_S = 0.8
"""Less than the second that the proxy gives an edge."""
_CALLS, _EVERY_S = 12, 0.25


class SlowEdge:
    """Responds to each request after `_SLOW_S`, and to checks only until ``is_busy``."""

    def __init__(self) -> None:
        self.is_busy = False
        self._is_over = asyncio.Event()
        self._ended: list[asyncio.Future[None]] = []

    async def close(self) -> None:
        """Returns when each connection is closed. The proxy has ended."""
        self._is_over.set()
        await asyncio.gather(*self._ended)

    async def respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended = asyncio.get_running_loop().create_future()
        self._ended.append(ended)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if b" /readyz " not in head.split(b"\r\n", 1)[0]:
                    await asyncio.sleep(_SLOW_S)
                elif self.is_busy:
                    await self._is_over.wait()
                    break
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            ended.set_result(None)


@pytest_asyncio.fixture(loop_scope="session")
async def edges() -> AsyncIterator[tuple[Network, list[SlowEdge]]]:
    """On addresses of loopback, where no other server listens."""
    install_programs()
    found = Network("127.213.0.1", tuple(Zone(f"z{at}", f"127.213.0.{at}") for at in (11, 12, 13)))
    folder = Path(tempfile.mkdtemp(prefix="plf-", dir="/tmp"))
    proxy = make_proxy(found, folder)
    async with AsyncExitStack() as ending:
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        slow = [SlowEdge() for _ in found.zones]
        for edge in slow:
            ending.push_async_callback(edge.close)
        ending.callback(proxy.kill)
        for zone, edge in zip(found.zones, slow, strict=True):
            server = await asyncio.start_server(edge.respond, zone.address, EDGE)
            ending.callback(server.close)
        proxy.start()
        await asyncio.to_thread(proxy.await_ready)
        yield found, slow


async def test_requests_at_edges_that_are_too_busy_for_checks_are_answered(
    edges: tuple[Network, list[SlowEdge]],
) -> None:
    network, slow = edges
    url = f"http://{network.address}:{EDGE}/v1/serve"

    async def call(http: httpx.AsyncClient, number: int) -> int:
        await asyncio.sleep(number * _EVERY_S)
        return (await http.get(url)).status_code

    async with httpx.AsyncClient(timeout=20) as http:
        assert (await http.get(url)).status_code == httpx.codes.OK
        for edge in slow:
            edge.is_busy = True
        answers = await asyncio.gather(
            *(call(http, number) for number in range(_CALLS)), return_exceptions=True
        )
    assert answers == [httpx.codes.OK] * _CALLS
