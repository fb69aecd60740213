"""Podman, whose containers and volumes of the compose file are a test's own."""

from collections.abc import Iterator

import pytest

from deploy.images.build import image_name
from deploy.images.engine import Engine


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Refuses where `make compose-up` has data. Names of images that tests take are given back."""
    one = Engine.open(print)
    labelled = "--filter=label=io.podman.compose.project=placard"
    kept = one.run("podman", "volume", "ls", "--quiet", labelled).split()
    assert not kept, "`make compose-up` has data here. Remove it: make compose-down ARGS=--volumes"
    built = {name: _read_id(one, name) for name in map(image_name, ("control", "edge"))}
    try:
        yield one
    finally:
        for name, id_ in built.items():
            one.run("podman", "tag", id_, name)


def _read_id(engine: Engine, image: str) -> str:
    return engine.run("podman", "image", "inspect", "--format={{.Id}}", image).strip()
