"""The edge as `python -m edge` starts it, on a real Redis, with a snapshot that was published to it."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from redis.asyncio import Redis

from common.service.channels import Channels
from common.snapshot.model import SnapshotObject
from common.values.clock import SystemClock
from common.values.environment import Environment
from tests.edge.runtime.machine import Machine
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.builders import KEY_RING


@dataclass(frozen=True, slots=True)
class LoneEdge:
    """``published`` and ``channel`` change what it serves."""

    machine: Machine
    published: Published
    channel: RedisChannel
    names: Channels

    @property
    def redis(self) -> Redis:
        return self.channel.redis

    @property
    def port(self) -> int:
        return int(self.machine.address.rpartition(":")[2])


@asynccontextmanager
async def lone_edge(
    redis_url: str,
    namespace: str,
    folder: Path,
    *objects: SnapshotObject,
    variables: Mapping[str, str] = MappingProxyType({}),
    **settings: object,
) -> AsyncIterator[LoneEdge]:
    """
    Ready, in live, with *objects* adopted by every worker; *settings* by their names in lower case, no prefix.
    *variables*: of the environment, as they are.
    """
    published = Published(at_ms=SystemClock().now_ms())
    published.put_objects(*objects)
    channel = RedisChannel(redis_url, namespace, Environment.LIVE)
    await channel.put_full(published.full())
    await channel.put_head(published.beat())
    own = {f"PLACARD_{name.upper()}": str(value) for name, value in settings.items()}
    environment = edge_settings(redis_url, namespace, folder) | own | dict(variables)
    machine = Machine(environment, ("-m", "edge"), log=folder / "edge.log")
    try:
        await asyncio.to_thread(machine.wait_started)
        await asyncio.to_thread(machine.wait_until, machine.ready)
        yield LoneEdge(machine, published, channel, Channels(namespace))
    finally:
        await asyncio.to_thread(machine.kill)
        await channel.close()


def edge_settings(redis_url: str, namespace: str, folder: Path) -> dict[str, str]:
    keys = {name: base64.b64encode(raw).decode() for name, raw in KEY_RING.keys.items()}
    key_file = folder / "key.json"
    key_file.write_text(json.dumps({"active": KEY_RING.active, "keys": keys}), encoding="utf-8")
    return {
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_REDIS_URL": redis_url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_EDGE_PORT": "0",
        "PLACARD_EDGE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_NAME": "edge-1",
        "PLACARD_SNAPSHOT_DIR": str(folder / "snapshot"),
        "PLACARD_SPOOL_DIR": str(folder / "spool"),
    }
