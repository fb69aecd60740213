"""`python -m control ingest` as it is started: ready, counting, and stopped by a signal."""

import asyncio
import base64
import os
import signal
import sys
from pathlib import Path

import httpx
import orjson
from redis.asyncio import Redis

from common.service.channels import Channels
from common.tracking.record import encode_record
from common.values.clock import FixedClock, SystemClock
from control.storage.database import Database
from deploy.standalone.sockets import find_free_ports
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import DatabaseTemplate
from tests.support.http_client import http_client
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S, until


async def test_the_process_stores_what_the_log_holds_and_ends_on_sigterm(
    migrated: DatabaseTemplate, redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    url = migrated.new_database()
    key_file = tmp_path / "keys.json"
    key_file.write_bytes(
        orjson.dumps({"active": "k1", "keys": {"k1": base64.b64encode(b"k" * 32).decode()}})
    )
    (port,) = find_free_ports(1)
    settings = {
        "PLACARD_DATABASE_URL": url,
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_STATE": str(tmp_path),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
        "PLACARD_INTERNAL_PORT": str(port),
    }
    database = Database(url)
    world = await World(database, FixedClock(SystemClock().now_ms())).open()
    campaign = await world.add_campaign(budget_cents=1)
    redis: Redis = Redis.from_url(redis_server.url, protocol=2)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", "ingest"),
        env={**os.environ, **settings},  # noqa: TID251 - a child needs the whole environment
    )
    try:
        async with http_client(base_url=f"http://127.0.0.1:{port}") as http:

            async def ready() -> bool:
                try:
                    return (await http.get("/readyz")).status_code == 200
                except httpx.TransportError:
                    return False

            async def charged() -> bool:
                return await world.spent_micros(campaign) == 10_000

            await until(ready)
            record = Edge(world).event(campaign, price_micros=20_000)
            await redis.xadd(Channels(namespace).log_stream(0), {"r": encode_record(record)})
            await until(charged)
            metrics = (await http.get("/metrics")).text
            stacks = (await http.get("/debug/stacks")).text
            profile = await http.get("/debug/profile", params={"seconds": "0.1"})
        assert 'placard_ingest_records_total{outcome="events"} 1.0' in metrics
        assert "ingest.py" in stacks
        assert profile.text.startswith("MainThread;")
        (reported,) = await world.rows(
            "select body from snapshot_objects where id = :id", id=campaign
        )
        assert orjson.loads(reported.body)["spent"] is True
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await redis.aclose()
        await database.close()
