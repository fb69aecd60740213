"""The servers under test, each a real process alone on its core; Redis and Kafka on the other."""

import asyncio
import base64
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import orjson

from common.channels import Channels
from common.environment import Environment
from common.secrets import KeyRing
from common.snapshot.messages import Full, Heartbeat
from control.adapters.redis_channel import RedisSnapshotChannel
from deploy.standalone.kafka import Kafka
from deploy.standalone.redis import Redis
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, pin, pinned_to
from loadtests.bench.world import World

_READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Running:
    """A server: its port, and the process at the top of its tree."""

    port: int
    pid: int


@contextmanager
def edge_alone(world: World, keys: KeyRing) -> Iterator[Running]:
    """One live edge worker serving *world*, Kafka behind it."""
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        redis, kafka = Redis(folder / "redis"), Kafka(folder / "kafka", print)
        for server in (redis, kafka):
            server.start()
            steps.callback(server.stop)
            if server.identity:
                pin(server.identity.pid, OTHER_CORE)
        asyncio.run(_publish(redis.url, world.full(1)))
        port = free_port()
        environment = _edge_environment(folder, keys, redis.url, kafka.bootstrap, port)
        process = subprocess.Popen(
            [sys.executable, "-m", "edge"],
            env=environment,
            preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
        )
        steps.callback(end, process)
        await_ready(port, "/readyz")
        yield Running(port, process.pid)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def await_ready(port: int, path: str) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline:
        try:
            if answer(port, path)[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"nothing answered 200 at 127.0.0.1:{port}{path} within {_READY_S:.0f} s")


def answer(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path, headers=headers or {})
        found = connection.getresponse()
        return found.status, found.read()
    finally:
        connection.close()


def make_keys() -> KeyRing:
    return KeyRing("k1", {"k1": os.urandom(32)})


async def _publish(redis_url: str, full: Full) -> None:
    channel = RedisSnapshotChannel(redis_url, Channels("placard"), ring=1000)
    beat = Heartbeat(full.epoch, full.version, full.digest, time.time_ns() // 1_000_000)
    await channel.put_full(Environment.LIVE, full)
    await channel.beat(Environment.LIVE, beat)
    await channel.close()


def _edge_environment(
    folder: Path, keys: KeyRing, redis_url: str, kafka: str, port: int
) -> dict[str, str]:
    key_file = folder / "keys.json"
    encoded = {name: base64.b64encode(key).decode() for name, key in keys.keys.items()}
    key_file.write_bytes(orjson.dumps({"active": keys.active, "keys": encoded}))
    return {
        **os.environ,
        "PLACARD_STATE": str(folder),
        "PLACARD_REDIS_URL": redis_url,
        "PLACARD_KAFKA": kafka,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_EDGE_PORT": str(port),
        "PLACARD_EDGE_URL": f"http://127.0.0.1:{port}",
        "PLACARD_EDGE_WORKERS": "1",
        "PLACARD_SPOOL_DIR": str(folder / "spool"),
        "PLACARD_SNAPSHOT_DIR": str(folder / "snapshot"),
        "PLACARD_DEAD_AFTER_S": "1000000",
    }


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
