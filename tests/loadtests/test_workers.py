"""A load whose users are shared by worker processes of locust, against a server that counts its requests."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from signal import SIGKILL
from threading import Thread
from typing import Any

import pytest

from deploy.standalone.process import list_below
from deploy.standalone.sockets import find_free_ports
from deploy.verified import ROOT
from loadtests.latencies import Latencies
from loadtests.mixes import EVERYONE, MIXES, NoUsers, choose_weights
from loadtests.run import main
from tests.support.waiting import until


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a load writes its results."""
    (tmp_path / "loadtests").mkdir()
    shutil.copy(ROOT / "loadtests" / "locustfile.py", tmp_path / "loadtests")
    return tmp_path


def _start(
    environment: dict[str, str], folder: Path, shape: str = "ramp", **settings: str
) -> "subprocess.Popen[str]":
    own = {"LOAD_WORKERS": "2", "LOAD_MIX": "publisher", "LOAD_ONLY": "Reader", **settings}
    return subprocess.Popen(
        [sys.executable, "-m", "loadtests.run", shape],
        env=environment | own,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _judgement(output: str) -> dict[str, Any]:
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert len(lines) == 1, output
    found: dict[str, Any] = lines[0]
    return found


def test_the_master_judges_the_calls_of_all_workers(
    environment: dict[str, str], edge: Edge, folder: Path
) -> None:
    run = _start(environment, folder)
    output, _ = run.communicate()

    assert run.returncode == 0, output
    line = _judgement(output)
    assert line["calls"] == edge.requests > 0
    assert (line["ok"], line["mix"], line["missed"]) == (True, "publisher", [])
    assert set(line["corrected_p99_ms"]) == {"/v1/serve"}
    rows = (folder / "loadtests/results/ramp_stats.csv").read_text().splitlines()
    assert f",Aggregated,{edge.requests},0," in rows[-1]
    assert "/v1/serve" in (folder / "loadtests/results/ramp.html").read_text()


def test_workers_of_another_machine_join_by_its_address_and_end_with_the_run(
    environment: dict[str, str], edge: Edge, folder: Path
) -> None:
    port = str(find_free_ports(1)[0])
    run = _start(environment, folder, LOAD_WORKERS="0", LOAD_REMOTE_WORKERS="1", LOAD_PORT=port)
    other = {"LOAD_WORKERS": "1", "LOAD_MASTER": "127.0.0.1", "LOAD_PORT": port}
    worker = _start(environment, folder, "worker", **other)
    output, _ = run.communicate()
    of_worker, _ = worker.communicate()

    assert run.returncode == 0, output
    assert worker.returncode == 0, of_worker
    assert _judgement(output)["calls"] == edge.requests > 0


async def test_a_run_that_loses_a_worker_fails(
    environment: dict[str, str], edge: Edge, folder: Path
) -> None:
    run = _start(environment, folder, LOAD_SECONDS="8")

    async def began() -> bool:
        return edge.requests > 0

    await until(began)
    workers = [pid for pid in list_below(run.pid) if b"--worker" in _command(pid)]
    os.kill(workers[0], SIGKILL)
    output, _ = run.communicate()

    assert (len(workers), run.returncode) == (2, 1), output
    assert _judgement(output)["missed"] == ["1 workers did not report their last calls."]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.parametrize(
    ("shape", "setting", "part"),
    [
        ("ramp", "LOAD_MIX=grocer", "LOAD_MIX=grocer is no mix"),
        ("ramp", "LOAD_ONLY=Reader,Shopper", "no class Shopper"),
        ("ramp", "LOAD_WORKERS=many", "LOAD_WORKERS=many"),
        ("ramp", "LOAD_WORKERS=-1", "LOAD_WORKERS=-1"),
        ("ramp", "LOAD_WORKERS=0", "LOAD_WORKERS=0 needs LOAD_REMOTE_WORKERS"),
        ("ramp", "LOAD_REMOTE_WORKERS=257", "LOAD_REMOTE_WORKERS=257"),
        ("worker", "LOAD_MASTER=", "LOAD_MASTER is missing"),
        ("worker", "LOAD_SHAPE=cube", "LOAD_SHAPE=cube is no shape"),
        ("cube", "LOAD_WORKERS=1", "No shape 'cube'"),
    ],
)
def test_what_no_load_can_run_with_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shape: str,
    setting: str,
    part: str,
) -> None:
    for given in [one for one in os.environ if one.startswith("LOAD_")]:  # noqa: TID251 - the run reads it
        monkeypatch.delenv(given)
    monkeypatch.setenv("LOAD_MASTER", "127.0.0.1")
    monkeypatch.setenv(*setting.split("=", 1))
    assert main([shape]) == 2
    assert part in capsys.readouterr().err


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
