"""The services of the compose file, really run: the README's commands, new images, and a stop."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.demo import make_demo_data
from deploy.compose.project import Project, read_services
from deploy.compose.secrets import AUTHORITY, FOLDER, make_secrets
from deploy.images.build import image_name
from deploy.images.engine import Engine
from deploy.images.names import COMPOSE
from deploy.standalone.operate import shell_lines
from tests.deploy.readme_commands import follow_readme, run_block

pytestmark = pytest.mark.containers

_CONTROL = ("api", "ingest", "publish", "pace", "work")
_EDGES = ("edge-live", "edge-test")
_OURS = (*_CONTROL, *_EDGES)
_TRUST = {"CURL_CA_BUNDLE": str(Path(FOLDER, AUTHORITY))}
_REDIS_SETTINGS = COMPOSE.with_name("redis.conf")
_EVENTS = """curl --fail --silent "$CONTROL_URL/v1/integration/events?cursor=earliest" \\
  -H "Authorization: Bearer $AK_TEST"
"""


@pytest.fixture(scope="module")
def project(engine: Engine) -> Iterator[Project]:
    """From empty volumes, which it removes again."""
    make_secrets()
    one = Project(engine, {}, print)
    try:
        print("services that run:", *one.up(set()))
        yield one
    finally:
        one.down(with_data=True)


@pytest.fixture(scope="module")
def exports(project: Project) -> str:
    """The addresses and keys of the demo's data, as lines for a shell."""
    return "\n".join([*shell_lines(make_demo_data(project, print)), ""])


def test_the_commands_of_the_readme_do_what_it_says(exports: str) -> None:
    serve, track, events = follow_readme(exports, **_TRUST)

    assert '"track_token":' in serve
    assert " 204" in track.splitlines()[0]
    assert '"kind":"impression"' in events
    assert '"valid":true' in events


def test_a_second_migration_finds_nothing_to_do(project: Project) -> None:
    project.compose("up", "--detach", "--no-deps", "migrate")
    assert "The schema at" in project.logs("migrate")


def test_the_doctor_has_written_its_findings_and_found_no_error(project: Project) -> None:
    lines = project.logs("doctor").splitlines()
    assert [line for line in lines if line.startswith("error")] == []
    checked = " ".join(lines)
    for check in ("postgresql.schema", "redis.persistence", "kafka.reachable", "stores.assets"):
        assert f" {check} " in checked, checked


@pytest.mark.parametrize(
    ("target", "changed"), [("control", _CONTROL), ("edge", _EDGES)], ids=["control", "edge"]
)
def test_an_image_that_was_built_anew_replaces_its_containers_and_keeps_the_data(
    engine: Engine, project: Project, exports: str, target: str, changed: tuple[str, ...]
) -> None:
    before = {service: project.container(service) for service in _OURS}
    events = json.loads(run_block(_EVENTS, exports, **_TRUST))["data"]
    working = engine.run("buildah", "from", image_name(target)).strip()
    engine.run("buildah", "config", "--label", "built=anew", working)
    engine.run("buildah", "commit", "--rm", working, image_name(target))

    project.up(set())
    replaced = {one for one in _OURS if project.container(one) != before[one]}
    follow_readme(exports, **_TRUST)
    events_after = json.loads(run_block(_EVENTS, exports, **_TRUST))["data"]

    assert replaced == {*changed}
    # What was there stays, and what the new containers took in follows.
    assert events_after[: len(events)] == events
    assert len(events_after) > len(events)


def test_a_changed_file_replaces_the_container_that_reads_it_and_no_other(
    project: Project,
) -> None:
    every = [one.name for one in read_services() if not one.profiles]
    before = {service: project.container(service) for service in every}
    content = _REDIS_SETTINGS.read_bytes()
    try:
        _REDIS_SETTINGS.write_bytes(content + b"\n")
        project.up(set())
    finally:
        _REDIS_SETTINGS.write_bytes(content)
    # Almost every service depends on this one.
    assert [one for one in every if project.container(one) != before[one]] == ["redis"]


@pytest.mark.parametrize("service", _OURS)
def test_sigterm_ends_a_process_without_an_error(project: Project, service: str) -> None:
    assert project.stop(service) == 0
