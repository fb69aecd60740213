"""The images as an operator runs them: read-only, without a user's name, without a shell."""

import json
import time

import pytest

from common.service.version import VERSION
from deploy.images.build import TARGETS, Built, build, source_date_epoch
from deploy.images.engine import Engine

pytestmark = pytest.mark.containers

_LARGEST_BYTES = 250_000_000
_CONFINED = ("--read-only", "--network", "none", "--cap-drop", "all")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.open(print)


@pytest.fixture(scope="module")
def built(engine: Engine) -> dict[str, Built]:
    return {one.target: one for one in build(engine, print)}


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


def test_a_container_without_a_process_that_is_ready_is_unhealthy(
    engine: Engine, built: dict[str, Built]
) -> None:
    check = ("python", "-I", "-S", "/opt/placard/deploy/images/healthcheck.py")
    run = ("--entrypoint", check[0], built["edge"].name, *check[1:])
    done = engine.try_to("podman", "run", "--rm", *_CONFINED, *run)
    assert done.returncode == 1
    assert "does not answer" in done.stderr
