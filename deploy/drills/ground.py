"""Servers that a drill may kill, freeze, empty and fill, and a stack on them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from deploy.drills.disk import SmallDisk, small_disk
from deploy.drills.oracle import Traffic
from deploy.standalone.background import Background, running_stack
from deploy.standalone.child import ROOT
from deploy.standalone.kafka import Kafka
from deploy.standalone.postgres import Postgres
from deploy.standalone.redis import Redis
from deploy.standalone.server import started

_SETTINGS = {
    "PLACARD_NAMESPACE": "drill",
    "PLACARD_MANAGEMENT_PER_KEY_S": "200",
    # Shorter than in production, so that a drill lasts seconds: a pass of reconciliation, and the edges' look at it.
    "PLACARD_RECONCILE_EVERY_S": "2",
    "PLACARD_RECONCILE_POLL_S": "0.5",
    "PLACARD_SPOOL_RETENTION_SHARE": "1",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """
    ``kafka``: None where the event log is on Redis Streams. ``archive``: where PostgreSQL archives its WAL. ``disks``:
    the small disks of the servers that have one, by the server's name.
    """

    folder: Path
    postgres: Postgres
    redis: Redis
    kafka: Kafka | None
    archive: Path
    disks: Mapping[str, SmallDisk]
    stack: Background

    @property
    def broker(self) -> Kafka:
        """Raises RuntimeError where the event log is on Redis Streams."""
        if self.kafka is None:
            raise RuntimeError("this drill needs a ground with Kafka")
        return self.kafka

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the stack's programs, and this process's environment."""
        return {**os.environ, **self.stack.environment}

    def run_control(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Runs ``python -m control …`` with the stack's settings."""
        return run_control(self.environment, *arguments)

    def check_control(self, *arguments: str) -> str:
        """The output of ``python -m control …``. Raises RuntimeError with its message where it fails."""
        return check_control(self.environment, *arguments)


@asynccontextmanager
async def under_traffic(
    *,
    with_kafka: bool = False,
    settings: Mapping[str, str] | None = None,
    disks: Mapping[str, str] | None = None,
) -> AsyncIterator[tuple[Ground, Traffic]]:
    """A `ground`, and a customer's traffic to its live edge."""
    with ground(with_kafka=with_kafka, settings=settings, disks=disks) as on:
        async with httpx.AsyncClient(timeout=20) as http:
            yield on, Traffic.on(on.stack.demo, on.postgres.url, http)


@contextmanager
def ground(
    *,
    with_kafka: bool = False,
    settings: Mapping[str, str] | None = None,
    disks: Mapping[str, str] | None = None,
    restore: Callable[[Path], None] | None = None,
    earlier: Mapping[str, bytes] | None = None,
) -> Iterator[Ground]:
    """
    Everything is in a temporary folder, and ends with the body.

    *disks*: sizes of disks of their own for ``postgres`` and ``kafka``. *restore*: writes PostgreSQL's data into a
    folder before its first start. *earlier*: as for `running_stack`.
    """
    with ExitStack() as ending:
        folder = Path(tempfile.mkdtemp(prefix="pld-", dir="/tmp"))
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o711)
        archive = folder / "archive"
        archive.mkdir(mode=0o777)
        archive.chmod(0o777)
        own_disks = {
            name: ending.enter_context(small_disk(folder / name, size))
            for name, size in (disks or {}).items()
        }
        if restore is not None:
            restore(folder / "postgres" / "data")
        postgres = ending.enter_context(started(_archiving(folder, archive)))
        redis = ending.enter_context(started(Redis(folder / "redis")))
        kafka = None
        if with_kafka:
            kafka = ending.enter_context(started(Kafka(folder / "kafka", report=_say)))
        own = {
            **_SETTINGS,
            "PLACARD_DATABASE_URL": postgres.url,
            "PLACARD_REDIS_URL": redis.url,
            "PLACARD_KAFKA_BOOTSTRAP_SERVERS": "" if kafka is None else kafka.bootstrap,
            **(settings or {}),
        }
        stack = ending.enter_context(running_stack(own, earlier=earlier))
        yield Ground(folder, postgres, redis, kafka, archive, own_disks, stack)


def run_control(
    environment: Mapping[str, str], *arguments: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "control", *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def check_control(environment: Mapping[str, str], *arguments: str) -> str:
    """Raises RuntimeError with the command's message where it fails."""
    done = run_control(environment, *arguments)
    if done.returncode != 0:
        raise RuntimeError(f"control {' '.join(arguments)}: {done.stderr[-2000:]}")
    return done.stdout


def _archiving(folder: Path, archive: Path) -> Postgres:
    """A file of the archive is complete from its first moment, because it is renamed."""
    copy = f"test ! -f {archive}/%f && cp %p {archive}/%f.new && mv {archive}/%f.new {archive}/%f"
    return Postgres(
        folder / "postgres",
        {"archive_mode": "on", "archive_command": copy, "wal_level": "replica"},
    )


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
