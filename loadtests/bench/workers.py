"""One connection to each worker of an edge, though all share a port: /proc shows which worker accepted a connection."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from loadtests.bench.wire import end_of_answer

_TRIES = 400
_PAUSE_S = 0.004
_GIVE_UP_S = 10.0
_LOOPBACK = "0100007F"


@dataclass(slots=True)
class WorkerConnection:
    """Sends requests to one worker, one at a time."""

    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, request: bytes) -> bytes:
        """The complete response."""
        self.writer.write(request)
        received = b""
        while (end := end_of_answer(received)) < 0:
            part = await self.reader.read(65_536)
            if not part:
                raise SystemExit("a worker closed its connection")
            received += part
        return received[:end]

    async def agrees(self, request: bytes, word: bytes, *, there: bool) -> float:
        """When the response first contained *word*, or no longer did (`perf_counter`)."""
        until_s = perf_counter() + _GIVE_UP_S
        while perf_counter() < until_s:
            if (word in await self.ask(request)) is there:
                return perf_counter()
            await asyncio.sleep(_PAUSE_S)
        raise SystemExit(f"worker {self.pid} did not change its decision in {_GIVE_UP_S:.0f} s")

    def close(self) -> None:
        self.writer.close()


async def connect_each(port: int, pids: Sequence[int]) -> list[WorkerConnection]:
    """
    One connection to each of *pids*, which listen on *port*. The kernel chooses the worker, so it tries until all have
    one.
    """
    found: dict[int, WorkerConnection] = {}
    for _ in range(_TRIES):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        pid = await _taken_by(port, writer.get_extra_info("sockname")[1], pids)
        if pid is None or pid in found:
            writer.close()
            continue
        found[pid] = WorkerConnection(pid, reader, writer)
        if len(found) == len(pids):
            return list(found.values())
    raise SystemExit(f"of the workers {list(pids)} only {list(found)} took a connection")


async def _taken_by(port: int, ours: int, pids: Sequence[int]) -> int | None:
    """The worker that accepted the connection; None if none did in time."""
    for _ in range(50):
        inode = _inode_of(port, ours)
        for pid in pids if inode else ():
            if f"socket:[{inode}]" in _open_sockets(pid):
                return pid
        await asyncio.sleep(0.005)
    return None


def _inode_of(port: int, peer: int) -> str | None:
    """The inode of the server's end of the connection from *peer*."""
    here, there = f"{_LOOPBACK}:{port:04X}", f"{_LOOPBACK}:{peer:04X}"
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        if fields[1] == here and fields[2] == there:
            return fields[9]
    return None


def _open_sockets(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(str(link.readlink()))
    return found
