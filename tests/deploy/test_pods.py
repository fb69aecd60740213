"""Every pod of the overlay `dev`, really run: jobs, the commands of the README, an edge that drains and comes back."""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from deploy.compose.demo import demo_settings
from deploy.images.engine import Engine
from deploy.standalone.demo import make_demo
from deploy.standalone.operate import shell_lines
from tests.deploy.kubernetes_pods import Pods, open_pods
from tests.deploy.readme_commands import follow_readme
from tests.support.waiting import until

pytestmark = pytest.mark.containers

_CONTROL = ("api", "ingest", "publish", "pace", "work")
_EDGES = ("edge-live", "edge-test")


@pytest.fixture(scope="module")
def pods(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pods]:
    """All run and are ready, started in the order in which the edges find the service `publish`."""
    with open_pods(Engine.open(print), tmp_path_factory.mktemp("pods")) as pods:
        pods.start("migrate")
        assert pods.await_end("migrate") == 0, pods.logs("migrate")
        for name in (*_CONTROL, *_EDGES):
            pods.start(name)
            _await_ready(pods, name)
        yield pods


@pytest.fixture(scope="module")
def exports(pods: Pods, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The addresses and keys of the demo's data, as lines for a shell."""
    urls = (pods.url("api"), pods.url("edge-live"), pods.url("edge-test"))
    settings = demo_settings(tmp_path_factory.mktemp("demo"), urls)

    def operate(arguments: tuple[str, ...]) -> None:
        pods.run_in("api", "python", "-m", "control", "admin", *arguments)

    return "\n".join([*shell_lines(asdict(make_demo(settings, operate, print))), ""])


def test_the_commands_of_the_readme_do_what_it_says(exports: str) -> None:
    serve, track, events = follow_readme(exports)

    assert '"track_token":' in serve
    assert " 204" in track.splitlines()[0]
    assert '"kind":"impression"' in events
    assert '"valid":true' in events


def test_the_job_of_the_doctor_finds_no_error(pods: Pods) -> None:
    pods.start("doctor")
    assert pods.await_end("doctor") == 0, pods.logs("doctor")
    assert " postgresql.schema " in pods.logs("doctor")


def test_a_second_migration_finds_nothing_to_do(pods: Pods) -> None:
    pods.remove("migrate")
    pods.start("migrate")
    assert pods.await_end("migrate") == 0
    assert "The schema at" in pods.logs("migrate")


def test_an_edge_drains_before_it_ends_and_comes_back_on_its_volume(
    pods: Pods, exports: str
) -> None:
    assert pods.stop("edge-test") == 0
    pods.remove("edge-test")
    pods.start("edge-test")
    _await_ready(pods, "edge-test")

    assert "snapshot_loaded_from_disk" in pods.logs("edge-test")
    follow_readme(exports)


@pytest.mark.parametrize("name", [*_EDGES, *_CONTROL])
def test_sigterm_ends_a_pod_without_an_error(pods: Pods, name: str) -> None:
    """Edges first: they wait until ingest has stored their events."""
    assert pods.stop(name) == 0


def _await_ready(pods: Pods, name: str) -> None:
    async def ready() -> bool:
        return await asyncio.to_thread(pods.ready, name)

    asyncio.run(until(ready, every_s=0.5))
