"""The services of the compose file, really run: the README's commands, and a stop."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.demo import make_demo_data
from deploy.compose.project import Project
from deploy.compose.secrets import AUTHORITY, FOLDER, make_secrets
from deploy.images.engine import Engine
from deploy.standalone.operate import shell_lines
from deploy.verified import ROOT

pytestmark = pytest.mark.containers

_OURS = ("api", "ingest", "publish", "pace", "work", "edge-live", "edge-test")


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    make_secrets()
    one = Project(Engine.open(print), {}, print)
    try:
        print("services that run:", *one.up(set()))
        yield one
    finally:
        one.down(with_data=True)


def _run(block: str, exports: str) -> str:
    """A block of the README, with the addresses of the containers in place of `make env`'s."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", exports + block.replace('eval "$(make -s env)"', "")],
        cwd=ROOT,
        env={**os.environ, "CURL_CA_BUNDLE": str(Path(FOLDER, AUTHORITY))},  # noqa: TID251 - a shell needs its own
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_commands_of_the_readme_do_what_it_says(project: Project) -> None:
    exports = "\n".join([*shell_lines(make_demo_data(project, print)), ""])
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL
    )

    serve, track, events = (_run(block, exports) for block in blocks)

    assert '"track_token":' in serve
    assert " 204" in track.splitlines()[0]
    assert '"kind":"impression"' in events
    assert '"valid":true' in events


def test_a_second_migration_finds_nothing_to_do(project: Project) -> None:
    project.compose("up", "--detach", "--no-deps", "migrate")
    assert "The schema at" in project.logs("migrate")


def test_an_image_that_was_built_anew_replaces_its_containers_and_keeps_the_data(
    project: Project,
) -> None:
    engine, image = Engine.open(print), "localhost/placard-control:dev"
    built = engine.run("podman", "image", "inspect", "--format={{.Id}}", image).strip()
    before = {service: project.container(service) for service in _OURS}
    accounts = project.run_in("api", "python", "-m", "control", "admin", "accounts", "list")
    working = engine.run("buildah", "from", image).strip()
    engine.run("buildah", "config", "--label", "built=anew", working)
    engine.run("buildah", "commit", "--rm", working, image)

    try:
        project.up(set())
        replaced = {one for one in _OURS if project.container(one) != before[one]}
        after = project.run_in("api", "python", "-m", "control", "admin", "accounts", "list")
    finally:
        engine.run("podman", "tag", built, image)

    assert replaced == {"api", "ingest", "publish", "pace", "work"}
    assert accounts == after


@pytest.mark.parametrize("service", _OURS)
def test_sigterm_ends_a_process_without_an_error(project: Project, service: str) -> None:
    assert project.stop(service) == 0
