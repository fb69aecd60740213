"""Real `control api` processes on one database, killed and started again on their ports."""

import asyncio
import base64
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import orjson

from deploy.standalone.sockets import find_free_ports
from tests.support.http_client import http_client
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[3]


class ApiProcess:
    """Keeps its port and settings from life to life."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = settings
        self.url = settings["PLACARD_CONTROL_URL"]
        self._process: Process | None = None

    async def start(self) -> None:
        """Returns when it can do its work."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "control", "api"),
            cwd=ROOT,
            env=dict(self._settings),
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        async with http_client(base_url=self.url) as http:

            async def ready() -> bool:
                assert self._process is not None
                assert self._process.returncode is None
                try:
                    return (await http.get("/readyz")).is_success
                except httpx.TransportError:
                    return False

            await until(ready)

    async def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


@asynccontextmanager
async def api_processes(
    database_url: str, folder: Path, count: int
) -> AsyncIterator[list[ApiProcess]]:
    """*count* of them, with the same secrets; nothing limits the rate."""
    key_file = folder / f"keys-{uuid4().hex[:8]}.json"
    key = base64.b64encode(b"k" * 32).decode()
    key_file.write_bytes(orjson.dumps({"active": "k1", "keys": {"k1": key}}))
    ports = find_free_ports(2 * count)
    processes = [
        ApiProcess(_settings(database_url, folder, key_file, *ports[2 * n : 2 * n + 2]))
        for n in range(count)
    ]
    try:
        await asyncio.gather(*(process.start() for process in processes))
        yield processes
    finally:
        await asyncio.gather(*(process.kill() for process in processes))


def _settings(
    database_url: str, folder: Path, key_file: Path, port: int, internal: int
) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PLACARD_DATABASE_URL": database_url,
        "PLACARD_REDIS_URL": "redis://127.0.0.1:1/0",
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_STATE": str(folder),
        "PLACARD_CONTROL_PORT": str(port),
        "PLACARD_INTERNAL_PORT": str(internal),
        "PLACARD_CONTROL_URL": f"http://127.0.0.1:{port}",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
        "PLACARD_MANAGEMENT_PER_KEY_S": "1000000",
    }
