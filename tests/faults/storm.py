"""Traffic that does not stop, faults in its midst by a seed, and the oracle when the sky has cleared."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from common.tracking.token import parse_token
from common.values.clock import SystemClock
from deploy.standalone.background import Background
from deploy.standalone.child import ROOT
from deploy.standalone.errors import StartError
from tests.faults.oracle import Traffic
from tests.support.http_client import http_client
from tests.support.servers import KafkaServer, PostgresServer, RedisServer

Fault = Callable[[random.Random], Awaitable[str]]
"""Does its harm, mends it where nobody else does, and gives its name."""
_AT_ONCE = 20
_CALM_S = 0.3
_STARTS = 3
_ASLEEP_S = (0.5, 8.0)
"""Longer than Kafka waits for a silent member of a group, at times."""


@dataclass
class Storm:
    """Short seconds are for every run of the tests, minutes for `make test-faults`. Prints its seed and counts."""

    traffic: Traffic
    seconds: float
    seed: int = field(default_factory=lambda: random.SystemRandom().randrange(1 << 32))
    counts: Counter[str] = field(default_factory=Counter)

    async def rage(self, faults: Sequence[Fault], *, every_s: float = 1.0) -> None:
        """Until the time is over; then everything acknowledged must be stored, once, and every sum agree."""
        print(f"\n  storm of {self.seconds:.0f} s, seed {self.seed}")
        rng, clock = random.Random(self.seed), SystemClock()
        over_s = clock.monotonic_s() + self.seconds
        stop = asyncio.Event()
        flow = asyncio.create_task(self._flow(stop))
        try:
            while clock.monotonic_s() < over_s:
                self.counts[await rng.choice(faults)(rng)] += 1
                await asyncio.sleep(every_s)
        finally:
            stop.set()
            await flow
        print(f"  {dict(sorted(self.counts.items()))}")
        await self._settle()
        await self.traffic.check()
        print(f"  stored {await self.traffic.stored()}, sent {len(self.traffic.sent)}")

    async def _flow(self, stop: asyncio.Event) -> None:
        """What fails is asked again, as a client does: the same token, until it is acknowledged."""
        async with http_client(is_fresh=True) as http:
            while not stop.is_set():
                await asyncio.gather(*(self._one(http) for _ in range(_AT_ONCE)))
                await asyncio.sleep(0.05)

    async def _one(self, http: httpx.AsyncClient) -> None:
        try:
            answer = await self.traffic.serve_one(http)
        except httpx.TransportError:
            self.counts["serve broken"] += 1
            return
        self.counts[f"serve {answer.status_code}"] += 1
        if answer.status_code != httpx.codes.OK:
            return
        token = str(answer.json()["track_token"])
        assert parse_token(token)[0].token_id not in self.traffic.sent
        for _ in range(3):
            try:
                reported = await self.traffic.track_one(token, http)
            except httpx.TransportError:
                self.counts["track broken"] += 1
                continue
            self.counts[f"track {reported.status_code}"] += 1
            if reported.status_code == httpx.codes.NO_CONTENT:
                return

    async def _settle(self) -> None:
        """A last call, behind which every worker's watermark must come."""
        await asyncio.sleep(_CALM_S)
        self.traffic.note_last_call()


@dataclass
class IngestPool:
    """More ingest processes beside the stack's own one, which starts again by itself."""

    stack: Background
    size: int = 2
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    async def disturb(self, rng: random.Random) -> str:
        """One is killed, frozen for a while, or ended in order; and another takes its place."""
        while len(self.processes) < self.size:
            self._start()
        own = self.stack.pids_of("control", "ingest")
        victim = rng.choice([*own, *(one.pid for one in self.processes)])
        act = rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP))
        os.kill(victim, act)
        if act is signal.SIGSTOP:
            await asyncio.sleep(rng.uniform(*_ASLEEP_S))
            os.kill(victim, signal.SIGCONT)
        self.processes = [one for one in self.processes if one.poll() is None]
        return f"ingest {act.name}"

    def end(self) -> None:
        for one in self.processes:
            one.kill()
            one.wait()

    def _start(self) -> None:
        environment = {**self.stack.environment, "PLACARD_INTERNAL_PORT": "0"}
        self.processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "control", "ingest"],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )


@contextmanager
def ingest_pool(stack: Background) -> Iterator[IngestPool]:
    pool = IngestPool(stack)
    try:
        yield pool
    finally:
        pool.end()


async def _start(server: KafkaServer | RedisServer | PostgresServer) -> None:
    """A machine that storms may be slow to start one."""
    for _ in range(_STARTS):
        try:
            await asyncio.to_thread(server.start)
        except StartError as error:
            trouble = error
        else:
            return
    raise trouble


def killing_workers(stack: Background) -> Fault:
    async def kill(rng: random.Random) -> str:
        workers = stack.edge_workers("live")
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
        return "edge worker SIGKILL"

    return kill


def breaking_kafka(server: KafkaServer, *, away_s: float = 3.0) -> Fault:
    async def harm(rng: random.Random) -> str:
        if rng.random() < 0.5:
            server.kill()
            await asyncio.sleep(away_s)
            await _start(server)
            return "kafka killed"
        server.freeze()
        await asyncio.sleep(away_s)
        server.thaw()
        return "kafka frozen"

    return harm


def breaking_redis(server: RedisServer, *, away_s: float = 1.5) -> Fault:
    async def harm(rng: random.Random) -> str:
        if rng.random() < 0.5:
            server.kill()
            server.wipe()
            await asyncio.sleep(away_s)
            await _start(server)
            return "redis came back empty"
        server.freeze()
        await asyncio.sleep(away_s)
        server.thaw()
        return "redis frozen"

    return harm


def breaking_postgres(server: PostgresServer, *, away_s: float = 2.0) -> Fault:
    async def harm(rng: random.Random) -> str:
        del rng
        server.kill()
        await asyncio.sleep(away_s)
        await _start(server)
        return "postgresql killed"

    return harm
