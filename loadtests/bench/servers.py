"""The servers under test, each a real process alone on its core; Redis and Kafka run on the other core."""

import asyncio
import base64
import os
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
from prometheus_client.parser import text_string_to_metric_families

from common.service.channels import Channels
from common.service.secrets import KeyRing
from common.snapshot.messages import FullState, Heartbeat
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from deploy.standalone.kafka import Kafka
from deploy.standalone.redis import Redis
from deploy.standalone.sockets import find_free_ports
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, kernel_threads_off, pin, pinned_to
from loadtests.bench.serving import write_places
from loadtests.bench.world import World

_READY_S = 240.0
_METRICS_S = 20.0


@dataclass(frozen=True, slots=True)
class Running:
    """A server: its port, the process at the top of its tree, and the port of its metrics if it has one."""

    port: int
    pid: int
    internal_port: int = 0


@dataclass(frozen=True, slots=True)
class Engines:
    """Redis and Kafka, which edges of several namespaces may share."""

    folder: Path
    redis_url: str
    kafka: str


@contextmanager
def engines() -> Iterator[Engines]:
    with ExitStack() as steps:
        steps.enter_context(kernel_threads_off(SERVER_CORE))
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        redis, kafka = Redis(folder / "redis"), Kafka(folder / "kafka", print)
        for server in (redis, kafka):
            server.start()
            steps.callback(server.stop)
            if server.identity:
                pin(server.identity.pid, OTHER_CORE)
        yield Engines(folder, redis.url, kafka.bootstrap)


@contextmanager
def edge_on(
    behind: Engines,
    world: World,
    keys: KeyRing,
    namespace: str = "placard",
    *,
    grants: bool = True,
) -> Iterator[Running]:
    """
    One live edge worker serving *world*, which is published first. *grants*: an allocator grants all requests; False if
    `control pace` runs.
    """
    with starting_edge_on(behind, world, keys, namespace, grants=grants) as running:
        await_ready(running.port, "/readyz")
        yield running


@contextmanager
def starting_edge_on(
    behind: Engines, world: World, keys: KeyRing, namespace: str, *, grants: bool = True
) -> Iterator[Running]:
    """As `edge_on`, but does not wait until the edge is ready."""
    folder = behind.folder / namespace
    folder.mkdir()
    asyncio.run(_publish(behind.redis_url, namespace, world.full(1)))
    ports = free_port(), free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "edge"],
        env=_edge_environment(behind, folder, keys, namespace, ports),
        preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
    )
    started = [process]
    if grants:
        command = [sys.executable, "-m", "loadtests.bench.granting", behind.redis_url, namespace]
        started.append(subprocess.Popen(command, preexec_fn=pinned_to(OTHER_CORE)))  # noqa: PLW1509 - as above
    try:
        yield Running(ports[0], process.pid, ports[1])
    finally:
        for one in started:
            end(one)


@contextmanager
def edge_alone(world: World, keys: KeyRing) -> Iterator[Running]:
    """One live edge worker serving *world*, with Kafka behind it."""
    with engines() as behind, edge_on(behind, world, keys) as running:
        yield running


def free_port() -> int:
    return find_free_ports(1)[0]


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


def metrics_of(running: Running) -> dict[str, float]:
    """An edge's metrics, summed over all workers. Keys are the name without its prefix, then the label values."""
    deadline = time.monotonic() + _METRICS_S
    while time.monotonic() < deadline:
        status, text = answer(running.internal_port, "/metrics")
        found: dict[str, float] = {}
        for family in text_string_to_metric_families(text.decode()) if status == 200 else ():
            for sample in family.samples:
                labels = [v for k, v in sorted(sample.labels.items()) if k != "worker"]
                name = "/".join((sample.name.removeprefix("placard_edge_"), *labels))
                found[name] = found.get(name, 0.0) + sample.value
        if "worker_snapshot_version" in found:  # a busy worker may send its part too late
            return found
    raise SystemExit("the edge's worker shows no metrics")


def make_keys() -> KeyRing:
    return KeyRing("k1", {"k1": os.urandom(32)})


async def _publish(redis_url: str, namespace: str, full: FullState) -> None:
    channel = RedisSnapshotChannel(redis_url, Channels(namespace), ring=1000)
    beat = Heartbeat(full.epoch, full.version, full.digest, time.time_ns() // 1_000_000)
    await channel.put_full(Environment.LIVE, full)
    await channel.beat(Environment.LIVE, beat)
    await channel.close()


def _edge_environment(
    behind: Engines, folder: Path, keys: KeyRing, namespace: str, ports: tuple[int, int]
) -> dict[str, str]:
    key_file = folder / "keys.json"
    encoded = {name: base64.b64encode(key).decode() for name, key in keys.keys.items()}
    key_file.write_bytes(orjson.dumps({"active": keys.active, "keys": encoded}))
    places = folder / "places.mmdb"
    write_places(places)
    return {
        **os.environ,
        "PLACARD_STATE": str(folder),
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_REDIS_URL": behind.redis_url,
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS": behind.kafka,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_EDGE_PORT": str(ports[0]),
        "PLACARD_EDGE_URL": f"http://127.0.0.1:{ports[0]}",
        "PLACARD_INTERNAL_PORT": str(ports[1]),
        "PLACARD_EDGE_WORKERS": "1",
        "PLACARD_PROXIES_COUNT": "1",
        "PLACARD_GEO_DATABASE": str(places),
        "PLACARD_SPOOL_DIR": str(folder / "spool"),
        "PLACARD_SNAPSHOT_DIR": str(folder / "snapshot"),
        "PLACARD_SNAPSHOT_MAX_AGE_S": "1000000",
    }


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
