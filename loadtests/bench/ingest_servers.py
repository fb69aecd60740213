"""The servers of bench-ingest, the process under test, and the check that the stored data adds up."""

import asyncio
import base64
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import asyncpg
import orjson
from sqlalchemy import text

from common.service.channels import Channels
from common.service.kafka_connection import KafkaConnection
from common.values.clock import SystemClock
from control.foundation.settings import ControlSettings
from control.storage.database import Database
from deploy.standalone.kafka import Kafka
from deploy.standalone.postgres import Postgres
from deploy.standalone.process import list_below
from edge.adapters.kafka_events import KafkaEventLog
from loadtests.bench.ingest_world import IngestWorld
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, cpu_seconds, pin, pinned_to
from loadtests.bench.servers import end, free_port

_SHIPPED_AT_ONCE = 2_000
_COMMITTED = "select coalesce(sum(position + 1), 0)::bigint from ingest_positions where source = $1"
_SUMS = text("""
select (select count(*) from events) as rows,
    (select count(distinct id) from events) as ids,
    (select sum(count) from event_hourly) as counted,
    (select sum(charged_micros) from events) as charged,
    (select sum(charged_micros) from event_hourly) as hours,
    (select sum(spent_micros) from campaign_spend) as spent,
    (select sum(micros) from charges) as queued,
    (select count(*) from dead_letters) as dead
""")


@dataclass
class Servers:
    """Each round has a topic of its own; *namespace* numbers them."""

    folder: Path
    postgres: Postgres
    kafka: Kafka
    world: IngestWorld = field(default_factory=IngestWorld)
    batch: int = ControlSettings.model_fields["ingest_batch"].default
    consumers: int = ControlSettings.model_fields["ingest_consumers"].default
    rounds: int = 0

    @property
    def in_hand(self) -> int:
        """The most events that a process has read but not stored: those being stored, and those read ahead."""
        return 2 * self.consumers * self.batch

    @property
    def database_url(self) -> str:
        return self.postgres.url

    @property
    def namespace(self) -> str:
        return f"bench{self.rounds}"

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[Callable[[], Awaitable[int]]]:
        """Yields a function that returns how many records of this round's topic are committed."""
        connection = await asyncpg.connect(self.database_url)
        source = f"kafka/{Channels(self.namespace).log_topic}"

        async def committed() -> int:
            found: int = await connection.fetchval(_COMMITTED, source)
            return found

        yield committed
        await connection.close()

    def database_cpu_s(self) -> float:
        return cpu_seconds(self.postgres.identity.pid if self.postgres.identity else None)

    async def fill(self, events: int, *, seed: int) -> None:
        """Fills a new topic with *events* records, in batches of the size that edges ship."""
        self.rounds += 1
        log = KafkaEventLog(
            KafkaConnection(self.kafka.bootstrap), Channels(self.namespace).log_topic
        )
        records = self.world.records(events, SystemClock().now_ms(), seed)
        while some := list(islice(records, _SHIPPED_AT_ONCE)):
            await log.append(some)
        await log.close()

    async def check(self, events: int) -> None:
        """Raises if an event is missing or was counted twice, or if the sums of money differ."""
        database = Database(self.database_url)
        async with database.service() as session:
            found = (await session.execute(_SUMS)).one()
        await database.close()
        assert found.rows == found.ids == found.counted == events, found
        assert found.charged == found.hours == found.spent == found.queued > 0, found
        assert found.dead == 0, found

    @contextmanager
    def ingesting(self) -> Iterator[int]:
        """Runs `control ingest` alone on its core, started as in production; yields its process id."""
        process = subprocess.Popen(
            [sys.executable, "-m", "control", "ingest"],
            env=_settings(self),
            preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
        )
        try:
            yield process.pid
        finally:
            end(process)


@contextmanager
def run_servers(folder: Path) -> Iterator[Servers]:
    postgres, kafka = Postgres(folder / "postgres"), Kafka(folder / "kafka", print)
    for server in (postgres, kafka):
        server.start()
        if server.identity:
            for pid in (server.identity.pid, *list_below(server.identity.pid)):
                pin(pid, OTHER_CORE)
    servers = Servers(folder, postgres, kafka)
    try:
        subprocess.run(
            [sys.executable, "-m", "control", "migrate"], env=_settings(servers), check=True
        )
        asyncio.run(_open(servers))
        yield servers
    finally:
        kafka.stop()
        postgres.stop()


async def _open(servers: Servers) -> None:
    database = Database(servers.database_url)
    await servers.world.open(database)
    await database.close()


def _settings(servers: Servers) -> dict[str, str]:
    key_file = servers.folder / "keys.json"
    key = base64.b64encode(b"k" * 32).decode()
    key_file.write_bytes(orjson.dumps({"active": "k1", "keys": {"k1": key}}))
    return {
        **os.environ,
        "PLACARD_STATE": str(servers.folder),
        "PLACARD_DATABASE_URL": servers.database_url,
        "PLACARD_REDIS_URL": "redis://127.0.0.1:1/0",  # ingest on Kafka never connects to it
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS": servers.kafka.bootstrap,
        "PLACARD_NAMESPACE": servers.namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_INTERNAL_PORT": str(free_port()),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
    }
