"""A process of the control plane as an operator runs it, and what its internal port says."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from deploy.standalone.sockets import find_free_ports
from tests.control.delivery.snapshot_publishing.waiting import until_async
from tests.support.http_client import http_client
from tests.support.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[4]


class Running:
    def __init__(self, process: Process, port: int) -> None:
        self.process = process
        self._url = f"http://127.0.0.1:{port}"

    async def says(self, path: str) -> tuple[int, str]:
        """0 where nobody listens."""
        try:
            async with http_client() as client:
                found = await client.get(f"{self._url}{path}")
        except httpx.TransportError:
            return 0, ""
        return found.status_code, found.text

    async def until_ready(self) -> None:
        await until_async(self._ready)

    async def until_leading(self) -> None:
        await until_async(self._leading)

    async def end(self, signal: int) -> int:
        self.process.send_signal(signal)
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()

    async def _ready(self) -> bool:
        assert self.process.returncode is None
        return (await self.says("/readyz"))[0] == 200

    async def _leading(self) -> bool:
        return "placard_leader 1.0" in (await self.says("/metrics"))[1]


@asynccontextmanager
async def running(command: str, settings: dict[str, str]) -> AsyncIterator[Running]:
    (port,) = find_free_ports(1)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", command),
        cwd=ROOT,
        env={**settings, "PLACARD_INTERNAL_PORT": str(port)},
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    try:
        yield Running(process, port)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
