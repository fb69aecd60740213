"""The whole one-machine stack, as `make run` starts it."""

import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from common.service.secrets import EDGE_PURPOSES, parse_key_file
from deploy.standalone.kafka import Kafka
from deploy.standalone.postgres import Postgres
from deploy.standalone.process import Identity, list_below
from deploy.standalone.redis import Redis
from deploy.standalone.stack import CONTROL_STOP_S, EDGES_STOP_S
from deploy.standalone.state import noted, read_json
from tests.support.waiting import PATIENCE_S

_ROOT = Path(__file__).resolve().parents[2]
_STARTED_S = 180.0
_STOP_LIMIT_S = 10.0
"""The limits of edges, control plane and servers together are less, so that a stop ends whichever of them hang."""
_SLOTS = ("banner", "native", "html", "audio", "video", "email")
_KEYS = {"pk_test", "pk_live", "sk_test", "sk_live", "ak_test", "ak_live"}


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pl-", dir="/tmp") as folder:
        yield Path(folder, "var")


@contextmanager
def _running(state: Path) -> Iterator[subprocess.Popen[str]]:
    """A started stack; killed at the end if it still runs."""
    ports = ("PLACARD_CONTROL_PORT", "PLACARD_EDGE_LIVE_PORT", "PLACARD_EDGE_TEST_PORT")
    variables = [f"PLACARD_STATE={state}", "PLACARD_SAMPLE=0", *(f"{port}=0" for port in ports)]
    with (state.parent / "output").open("a+", encoding="utf-8") as output:
        stack = subprocess.Popen(
            ["env", *variables, sys.executable, "-m", "deploy.standalone"],
            cwd=_ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            _await_ready(stack, state, output.name)
            yield stack
        finally:
            stack.kill()
            stack.wait()


def _await_ready(stack: subprocess.Popen[str], state: Path, output: str) -> None:
    for _ in range(int(_STARTED_S / 0.1)):
        if _holder(state) == stack.pid and (state / "demo.json").exists():
            return
        try:
            stack.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"the stack did not start:\n{Path(output).read_text(encoding='utf-8')[-4000:]}")


def _holder(state: Path) -> int | None:
    """The process that holds the state: it has removed what an earlier one left there."""
    lock = state / "lock"
    text = lock.read_text(encoding="utf-8").strip() if lock.exists() else ""
    return int(text) if text else None


def _stop(stack: subprocess.Popen[str], state: Path) -> None:
    """SIGTERM; every process that the stack has noted is gone."""
    running = _running_now(stack, state)
    stack.send_signal(signal.SIGTERM)
    assert stack.wait(PATIENCE_S) == 0
    assert [name for one, name in running.items() if one.alive()] == []


def _running_now(stack: subprocess.Popen[str], state: Path) -> dict[Identity, str]:
    """Every process below the stack's, workers too, by what it is."""
    named = noted(state)
    below = [Identity.find(pid) for pid in list_below(stack.pid)]
    found = {one: named.get(one, str(one.pid)) for one in below if one is not None}
    assert set(named) <= set(found)
    return found


@pytest.fixture(scope="module")
def first_start(state: Path) -> dict[str, Any]:
    """`demo.json` of the first start, which has been used once and stopped again."""
    with _running(state) as stack:
        demo: dict[str, Any] = read_json(state / "demo.json")
        demo["mode"] = stat.S_IMODE((state / "demo.json").stat().st_mode)
        demo["served"] = _serve_and_track(demo)
        demo["edges"] = _environments_of_edges(stack)
        _stop(stack, state)
    return demo


def _serve_and_track(demo: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Slot and environment → the status of serve and of track."""
    seen = {}
    for environment in ("test", "live"):
        key = {"X-Service-Key": demo["keys"][f"pk_{environment}"]["key"]}
        with httpx.Client(base_url=demo[f"edge_{environment}_url"], headers=key) as edge:
            for slot in demo["slots"]:
                served = edge.get("/v1/serve", params={"slot": slot})
                body = {"token": served.json()["track_token"], "event": "impression"}
                tracked = edge.post("/v1/track", json=body)
                seen[f"{slot} {environment}"] = (served.status_code, tracked.status_code)
    return seen


def _environments_of_edges(stack: subprocess.Popen[str]) -> list[dict[str, str]]:
    """Of every process of an edge, as the kernel shows them."""
    found = []
    for pid in list_below(stack.pid):
        try:
            lines = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        except (FileNotFoundError, ProcessLookupError):  # the doctor has ended
            continue
        variables = dict(line.partition("=")[::2] for line in lines if line)
        if "PLACARD_EDGE_NAME" in variables:
            found.append(variables)
    return found


def _read_events(demo: dict[str, Any]) -> list[dict[str, Any]]:
    """The test environment's events, as soon as there is one for each slot."""
    bearer = {"Authorization": f"Bearer {demo['keys']['ak_test']['key']}"}
    events: list[dict[str, Any]] = []
    with httpx.Client(base_url=demo["control_url"], headers=bearer) as control:
        for _ in range(300):
            answer = control.get("/v1/integration/events", params={"cursor": "earliest"})
            events = answer.json()["data"]
            if len(events) >= len(demo["slots"]):
                break
            time.sleep(0.1)
    return events


def test_every_demo_slot_serves_and_tracks(first_start: dict[str, Any]) -> None:
    slots = [f"{slot} {environment}" for environment in ("test", "live") for slot in _SLOTS]
    assert first_start["served"] == dict.fromkeys(slots, (200, 204))


def test_edges_hold_no_root_key_and_no_database(first_start: dict[str, Any]) -> None:
    assert len(first_start["edges"]) > 2, "supervisors, their helpers and workers"
    for variables in first_start["edges"]:
        assert "PLACARD_DATABASE_URL" not in variables
        assert "postgres" not in "".join(variables.values())
        ring = parse_key_file(Path(variables["PLACARD_KEY_FILE"]).read_bytes())
        assert ring.keys == {}
        assert set(ring.derived["k1"]) == set(EDGE_PURPOSES)


def test_demo_json_is_complete_and_private(first_start: dict[str, Any]) -> None:
    assert first_start["mode"] == 0o600
    assert set(first_start["slots"]) == set(_SLOTS)
    assert set(first_start["keys"]) == _KEYS
    for name, key in first_start["keys"].items():
        assert re.fullmatch(rf"{name}_[0-9A-Za-z]{{36}}", key["key"])


def test_the_limits_of_a_stop_are_less_than_it_may_take() -> None:
    servers_s = [wait_s for server in (Kafka, Postgres, Redis) for _, wait_s in server.asking]
    assert EDGES_STOP_S + CONTROL_STOP_S + sum(servers_s) < _STOP_LIMIT_S


def test_stopping_removes_demo_json(state: Path, first_start: dict[str, Any]) -> None:
    assert first_start["account_id"]
    assert not (state / "demo.json").exists()


def test_a_second_start_keeps_the_data_and_what_it_leaves_when_killed_the_third_cleans(
    state: Path, first_start: dict[str, Any]
) -> None:
    with _running(state) as stack:
        demo = read_json(state / "demo.json")
        events = _read_events(demo)
        killed = _running_now(stack, state)
        stack.kill()
        stack.wait()
    assert demo["account_id"] == first_start["account_id"]
    assert demo["keys"] == first_start["keys"]
    assert len(events) == len(_SLOTS)
    with _running(state) as stack:
        assert read_json(state / "demo.json")["account_id"] == first_start["account_id"]
        assert [name for one, name in killed.items() if one.alive()] == []
        _stop(stack, state)
