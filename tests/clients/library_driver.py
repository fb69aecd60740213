"""A program that calls one of the server libraries as this repository's tests ask it to: `clients/*/tests/driver`."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from deploy.debian import install_missing
from tests.clients.publisher import ROOT
from tests.support.one_at_a_time import one_at_a_time
from tests.support.waiting import PATIENCE_S

_LONGEST_LINE = 1 << 24
VIRTUAL: Final = {"virtual": True, "timeout_ms": 30_000}
"""For ``open``: pauses take no time, and no busy machine makes an answer late."""
PHP = {"php": "php-cli", "phpunit": "phpunit php-curl"}
"""Programs by which the library for PHP runs, with their packages."""


@dataclass(frozen=True, slots=True)
class Library:
    """``command`` starts its driver in ``clients/NAME``; ``packages``: Debian's, with the programs that it needs."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return ROOT / "clients" / self.name


@dataclass(slots=True)
class Driver:
    """Answers are one JSON object a command."""

    process: asyncio.subprocess.Process

    async def do(self, name: str, **command: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(orjson.dumps({"do": name, **command}) + b"\n")
        async with asyncio.timeout(PATIENCE_S):
            line = await self.process.stdout.readline()
        assert line, f"the driver ended at {name}"
        found: dict[str, Any] = orjson.loads(line)
        return found


def install_programs(packages: Mapping[str, str]) -> None:
    """The packages of the programs that this machine lacks. Raises `deploy.debian.NotInstalled`."""
    lacking = [names for program, names in packages.items() if shutil.which(program) is None]
    missing = [name for names in lacking for name in names.split()]
    needs = f"These tests need other programs: apt-get install {' '.join(missing)}"
    with one_at_a_time("apt"):
        install_missing(missing, print, otherwise=needs)


@asynccontextmanager
async def driver_of(library: Library) -> AsyncIterator[Driver]:
    install_programs(library.packages)
    process = await asyncio.create_subprocess_exec(
        *library.command,
        cwd=library.folder,
        env={**os.environ, **library.environment},  # noqa: TID251 - a program needs its own
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
    )
    try:
        yield Driver(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            await process.wait()
