"""Servers that a drill may kill, freeze and empty, and a stack on them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from deploy.standalone.background import Background, running_stack
from deploy.standalone.child import ROOT
from deploy.standalone.kafka import Kafka
from deploy.standalone.postgres import Postgres
from deploy.standalone.redis import Redis
from deploy.standalone.server import Server

AnyServer = TypeVar("AnyServer", bound=Server)
_SETTINGS = {
    "PLACARD_NAMESPACE": "drill",
    "PLACARD_MANAGEMENT_PER_KEY_S": "200",
    # Shorter than in production, so that a drill lasts seconds: a pass of reconciliation, and the edges' look at it.
    "PLACARD_RECONCILE_EVERY_S": "2",
    "PLACARD_RECONCILE_POLL_S": "0.5",
    "PLACARD_SPOOL_RETENTION_SHARE": "1",
}


class DrillImpossible(RuntimeError):
    """This machine lacks what the drill needs; the message names it."""


@dataclass(frozen=True, slots=True)
class Ground:
    """``kafka``: None where the event log is on Redis Streams. ``archive``: where PostgreSQL archives its WAL."""

    folder: Path
    postgres: Postgres
    redis: Redis
    kafka: Kafka | None
    archive: Path
    stack: Background

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the stack's programs, and this process's environment."""
        return {**os.environ, **self.stack.environment}

    def run_control(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Runs ``python -m control …`` with the stack's settings."""
        return subprocess.run(
            [sys.executable, "-m", "control", *arguments],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    def check_control(self, *arguments: str) -> str:
        """The output of ``python -m control …``. Raises RuntimeError with its message where it fails."""
        done = self.run_control(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"control {' '.join(arguments)}: {done.stderr[-2000:]}")
        return done.stdout


@contextmanager
def ground(
    *, with_kafka: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[Ground]:
    """Everything is in a temporary folder, and ends with the body."""
    with ExitStack() as ending:
        folder = Path(tempfile.mkdtemp(prefix="pld-", dir="/tmp"))
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o711)
        archive = folder / "archive"
        archive.mkdir(mode=0o777)
        archive.chmod(0o777)
        copy = f"test ! -f {archive}/%f && cp %p {archive}/%f"
        postgres = Postgres(
            folder / "postgres",
            {"archive_mode": "on", "archive_command": copy, "wal_level": "replica"},
        )
        ending.enter_context(_started(postgres))
        redis = ending.enter_context(_started(Redis(folder / "redis")))
        kafka = None
        if with_kafka:
            kafka = ending.enter_context(_started(Kafka(folder / "kafka", report=_say)))
        own = {
            **_SETTINGS,
            "PLACARD_DATABASE_URL": postgres.url,
            "PLACARD_REDIS_URL": redis.url,
            "PLACARD_KAFKA_BOOTSTRAP_SERVERS": "" if kafka is None else kafka.bootstrap,
            **(settings or {}),
        }
        stack = ending.enter_context(running_stack(own))
        yield Ground(folder, postgres, redis, kafka, archive, stack)


@contextmanager
def _started(server: AnyServer) -> Iterator[AnyServer]:
    try:
        server.start()
        yield server
    finally:
        server.thaw()
        server.stop()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
