"""The images as an operator runs them: read-only, without a user's name, without a shell."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.service.version import VERSION
from deploy.compose.secrets import make_secrets
from deploy.images.build import TARGETS, Built, build, source_date_epoch
from deploy.images.engine import ROOT, Engine

pytestmark = pytest.mark.containers

_LARGEST_BYTES = 250_000_000
_CONFINED = ("--read-only", "--network", "none", "--cap-drop", "all")
_NO_SHELL = tuple(f"--volume=/dev/null:/usr/bin/{name}:ro" for name in ("bash", "dash"))
_GRACE_S = "20"
_START_S = 300.0
# Nothing listens on these ports of the container's own loopback.
_NOTHING_ELSE = {
    "ENVIRONMENT": "test",
    "EDGE_URL": "http://localhost:8080",
    "EDGE_WORKERS": "1",
    "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1",
    "KEY_FILE": "/run/key_file",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "SNAPSHOT_URL": "http://127.0.0.1:1",
}
_WRITE_PARQUET = """
import io
from pyarrow import BufferReader, parquet
from control.reporting.exports.hashing_writer import HashingWriter
from control.reporting.exports.parquet_file import ParquetFile
from control.reporting.exports.table_schema import Column, ColumnType
file = io.BytesIO()
written = ParquetFile(HashingWriter(file, max_bytes=10_000), [Column("count", ColumnType.COUNT)], {})
written.write([(1,)])
written.finish()
print(parquet.read_table(BufferReader(file.getvalue()))["count"][0])
"""
_OPEN_BUCKETS = """
import boto3
session = boto3.session.Session(aws_access_key_id="a", aws_secret_access_key="b", region_name="eu-west-1")
for name in ("sts", "sso", "sso-oidc", "signin"):
    session.client(name)
url = session.client("s3").generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})
print(int("/k?" in url))
"""
_LIST_WRITABLE = """
import os
for folder, folders, files in os.walk("/"):
    folders[:] = [one for one in folders if folder != "/" or one not in ("dev", "proc", "sys")]
    for path in (folder, *(os.path.join(folder, one) for one in files)):
        if os.access(path, os.W_OK) and not os.path.islink(path):
            print(path)
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.open(print)


@pytest.fixture(scope="module")
def built(engine: Engine) -> dict[str, Built]:
    return {one.target: one for one in build(engine, print)}


def read_commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_second_build_has_the_same_digests(engine: Engine, built: dict[str, Built]) -> None:
    again = build(engine, print, tag="again", cached=False)
    assert {one.target: one.digest for one in again} == {
        name: one.digest for name, one in built.items()
    }


def test_an_image_has_at_most_250_mb_compressed(built: dict[str, Built]) -> None:
    for one in built.values():
        print(f"{one.name}: {one.compressed_bytes:,} bytes")
        assert one.compressed_bytes <= _LARGEST_BYTES


@pytest.mark.parametrize("target", TARGETS)
def test_an_image_says_what_it_is(engine: Engine, built: dict[str, Built], target: str) -> None:
    config = json.loads(engine.run("podman", "inspect", built[target].name))[0]["Config"]
    labels = {
        name.removeprefix("org.opencontainers.image."): text
        for name, text in config["Labels"].items()
    }

    assert config["User"] == "65532:65532"
    assert config["StopSignal"] in {"SIGTERM", "15"}
    assert labels["version"] == VERSION
    assert labels["revision"].removesuffix("-dirty") == read_commit()
    assert labels["licenses"] == "Apache-2.0"
    assert labels["created"].startswith(time.strftime("%Y-%m", time.gmtime(source_date_epoch())))
    assert {"title", "description", "revision", "base.name"} <= labels.keys()
    # The program is started by its own name: nothing of it passes through a shell.
    assert config["Entrypoint"][0] in {"python", "placard"}


@pytest.mark.parametrize(
    ("target", "package"), [("control", "sanic"), ("edge", "sanic"), ("cli", "httpx")]
)
def test_an_image_lists_its_packages(
    engine: Engine, built: dict[str, Built], target: str, package: str
) -> None:
    folder = "cli" if target == "cli" else "server"
    read = ("--entrypoint", "cat", built[target].name, f"/opt/{folder}/sbom.cdx.json")
    listed = json.loads(engine.run("podman", "run", "--rm", *_CONFINED, *read))
    assert listed["bomFormat"] == "CycloneDX"
    assert package in {one["name"] for one in listed["components"]}


def test_the_modules_of_the_hot_paths_are_compiled(engine: Engine, built: dict[str, Built]) -> None:
    code = "import common.decision.decide as one; print(one.__file__)"
    python = ("--entrypoint", "python", built["edge"].name, "-c", code)
    assert engine.run("podman", "run", "--rm", *_CONFINED, *python).strip().endswith(".so")


@pytest.mark.parametrize("target", TARGETS)
def test_the_user_of_an_image_may_write_only_to_state_and_temporary_folders(
    engine: Engine, built: dict[str, Built], target: str
) -> None:
    # Without `--read-only`: the rights of the files alone decide.
    python = ("--entrypoint", "python", built[target].name, "-c", _LIST_WRITABLE)
    listed = engine.run("podman", "run", "--rm", "--network", "none", "--cap-drop", "all", *python)
    meant = ("/tmp", "/var/tmp", "/run/lock", "/var/lib/placard")  # noqa: S108 - of the image
    assert [one for one in listed.splitlines() if not one.startswith(meant)] == []


@pytest.fixture
def edge(engine: Engine, built: dict[str, Built], tmp_path: Path) -> Iterator[str]:
    """The name of a container whose edge has started: alone, on a read-only root, without a shell."""
    make_secrets(tmp_path / "secrets")
    settings = [f"--env=PLACARD_{name}={value}" for name, value in _NOTHING_ELSE.items()]
    key_file = f"--volume={tmp_path}/secrets/edge_key_file:/run/key_file:ro"
    confined = (*_CONFINED, *_NO_SHELL, "--tmpfs=/tmp", key_file, *settings)
    name = engine.run("podman", "run", "--detach", *confined, built["edge"].name).strip()
    try:
        _await_start(engine, name)
        yield name
    finally:
        engine.run("podman", "rm", "--force", "--volumes", name)


def _read_log(engine: Engine, name: str) -> str:
    done = engine.try_to("podman", "logs", name)
    return done.stdout + done.stderr


def _await_start(engine: Engine, name: str) -> None:
    until = time.monotonic() + _START_S
    while '"event": "edge_started"' not in (log := _read_log(engine, name)):
        running = engine.run("podman", "inspect", "--format={{.State.Running}}", name).strip()
        assert running == "true", log
        assert time.monotonic() < until, log


def test_an_edge_runs_compiled_and_ends_cleanly_by_sigterm(engine: Engine, edge: str) -> None:
    log = _read_log(engine, edge)
    engine.run("podman", "stop", "--time", _GRACE_S, edge)
    exit_code = engine.run("podman", "inspect", "--format={{.State.ExitCode}}", edge).strip()

    assert '"compiled": "1"' in log
    assert exit_code == "0"


def test_the_health_check_of_an_edge_without_a_snapshot_fails(engine: Engine, edge: str) -> None:
    done = engine.try_to("podman", "healthcheck", "run", edge)
    assert done.returncode == 1
    # The image's own check reached the edge, which says why it is not ready.
    last = json.loads(engine.run("podman", "inspect", "--format={{json .State.Healthcheck}}", edge))
    assert "No snapshot was received yet" in last["Log"][-1]["Output"]


@pytest.mark.parametrize("code", [_WRITE_PARQUET, _OPEN_BUCKETS], ids=["parquet", "buckets"])
def test_the_control_plane_has_what_it_needs_of_packages_that_are_cut(
    engine: Engine, built: dict[str, Built], code: str
) -> None:
    python = ("--entrypoint", "python", built["control"].name, "-c", code)
    assert engine.run("podman", "run", "--rm", *_CONFINED, *python).strip() == "1"


def test_a_container_without_a_process_that_is_ready_is_unhealthy(
    engine: Engine, built: dict[str, Built]
) -> None:
    check = ("python", "-I", "-S", "/opt/placard/deploy/images/probe.py", "ready")
    run = ("--entrypoint", check[0], built["edge"].name, *check[1:])
    done = engine.try_to("podman", "run", "--rm", *_CONFINED, *run)
    assert done.returncode == 1
    assert "does not respond" in done.stderr
