"""A load whose users are shared by worker processes of locust, against a server that counts its requests."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from deploy.verified import ROOT
from loadtests.latencies import Latencies
from loadtests.mixes import EVERYONE, MIXES, NoUsers, choose_weights


class Edge(ThreadingHTTPServer):
    """Answers every request for an ad with 204, and counts them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.counter = count(1)
        self.requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert isinstance(self.server, Edge)
        self.server.requests = next(self.server.counter)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library names it
        pass


@pytest.fixture
def edge() -> Iterator[Edge]:
    with Edge() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def environment(edge: Edge, tmp_path: Path) -> dict[str, str]:
    keys = {name: {"key": name} for name in ("pk_live", "pk_test", "sk_live", "ak_test")}
    slots = {name: {"id": name, "key": name} for name in ("banner", "email", "audio")}
    urls = dict.fromkeys(("edge_live_url", "edge_test_url", "control_url"), edge.url)
    (tmp_path / "demo.json").write_text(json.dumps({**urls, "keys": keys, "slots": slots}))
    inherited = {name: value for name, value in os.environ.items() if "LOAD_" not in name}  # noqa: TID251 - the child's own
    return inherited | {
        "PYTHONPATH": str(ROOT),
        "LOAD_DEMO": str(tmp_path / "demo.json"),
        "LOAD_SECONDS": "4",
        "LOAD_USERS": "4",
        # How fast this machine is does not matter here.
        "LOAD_P99_MS": "1e9",
    }


def _load(
    environment: dict[str, str], folder: Path, **settings: str
) -> "subprocess.CompletedProcess[str]":
    (folder / "loadtests").mkdir(exist_ok=True)
    (folder / "loadtests" / "locustfile.py").write_text(
        (ROOT / "loadtests" / "locustfile.py").read_text()
    )
    return subprocess.run(
        [sys.executable, "-m", "loadtests.run"],
        env=environment | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_master_judges_the_calls_of_all_workers(
    environment: dict[str, str], edge: Edge, tmp_path: Path
) -> None:
    done = _load(environment, tmp_path, LOAD_WORKERS="2", LOAD_MIX="publisher", LOAD_ONLY="Reader")

    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert line["calls"] == edge.requests > 0
    assert (line["ok"], line["mix"], line["missed"]) == (True, "publisher", [])
    assert set(line["corrected_p99_ms"]) == {"/v1/serve"}
    rows = (tmp_path / "loadtests/results/ramp_stats.csv").read_text().splitlines()
    assert f",Aggregated,{edge.requests},0," in rows[-1]
    assert "/v1/serve" in (tmp_path / "loadtests/results/ramp.html").read_text()


def test_a_run_without_workers_is_refused(
    environment: dict[str, str], edge: Edge, tmp_path: Path
) -> None:
    done = _load(environment, tmp_path, LOAD_WORKERS="0")
    assert (done.returncode, edge.requests) == (2, 0)
    assert "LOAD_WORKERS=0 needs LOAD_REMOTE_WORKERS" in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("LOAD_MIX", "grocer", "LOAD_MIX=grocer is no mix"),
        ("LOAD_ONLY", "Reader,Shopper", "no class Shopper"),
        ("LOAD_WORKERS", "many", "LOAD_WORKERS=many"),
        ("LOAD_WORKERS", "-1", "LOAD_WORKERS=-1"),
        ("LOAD_REMOTE_WORKERS", "257", "LOAD_REMOTE_WORKERS=257"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_possible(  # noqa: PLR0917 - a row of the table
    environment: dict[str, str], edge: Edge, tmp_path: Path, name: str, value: str, part: str
) -> None:
    done = _load(environment, tmp_path, **{name: value})
    assert done.returncode != 0
    assert part in done.stderr
    assert "Traceback" not in done.stderr
    assert edge.requests == 0


def test_a_mix_that_does_not_exist_lists_those_that_do() -> None:
    with pytest.raises(NoUsers) as raised:
        choose_weights("grocer", "")
    for name, mix in MIXES.items():
        assert f"{name}: {mix.sentence}" in str(raised.value)


def test_each_mix_has_only_classes_of_everyone_and_a_sentence() -> None:
    for name, mix in MIXES.items():
        assert mix.weights.keys() <= MIXES[EVERYONE].weights.keys(), name
        assert all(weight > 0 for weight in mix.weights.values()), name
        assert mix.sentence.endswith("."), name


def test_only_leaves_the_named_classes_of_a_mix() -> None:
    assert choose_weights("podcast", "Listener,Integrator") == {"Listener": 8, "Integrator": 1}
    with pytest.raises(NoUsers, match="the mix podcast has no such users"):
        choose_weights("podcast", "Reader")


def test_times_of_several_processes_are_merged_and_taken_once() -> None:
    first, second, both = Latencies(), Latencies(), Latencies()
    for ms in range(1, 51):
        first.add(ms)
        second.add(ms + 50)
    for one in (first, second, first):  # the last has nothing left
        both.merge(one.take())
    assert (len(first), len(both)) == (0, 100)
    assert 99 <= both.percentile(0.99) <= 99 * 1.02
