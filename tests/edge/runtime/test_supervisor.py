"""A whole edge machine as processes: the real supervisor, feed and workers, around a tiny app, on a real Redis."""

import asyncio
import base64
import json
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.values.environment import Environment
from tests.edge.runtime.machine import Machine, alive, get, send
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.servers import RedisServer
from tests.support.waiting import until

Start = Callable[[], Machine]


@pytest.fixture
def settings(redis_server: RedisServer, namespace: str, tmp_path: Path) -> dict[str, str]:
    key_file = tmp_path / "key.json"
    key = base64.b64encode(bytes(32)).decode()
    key_file.write_text(json.dumps({"active": "k1", "keys": {"k1": key}}), encoding="utf-8")
    return {
        "PLACARD_ENVIRONMENT": "test",
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_EDGE_PORT": "0",
        "PLACARD_EDGE_URL": "http://127.0.0.1",
        "PLACARD_EDGE_NAME": "edge-1",
        "PLACARD_SNAPSHOT_DIR": str(tmp_path / "snapshot"),
        "PLACARD_SPOOL_DIR": str(tmp_path / "spool"),
        "PLACARD_SNAPSHOT_HEARTBEAT_TIMEOUT_S": "0.5",
    }


@pytest.fixture
def start(settings: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    machines: list[Machine] = []

    def start_one() -> Machine:
        machine = Machine(settings, log=tmp_path / f"edge-{len(machines)}.log")
        machines.append(machine)
        machine.wait_started()
        return machine

    yield start_one
    for machine in machines:
        machine.kill()


@pytest.fixture
async def published(redis_server: RedisServer, namespace: str) -> AsyncIterator[Published]:
    """A first snapshot, where edges find it."""
    world = Published()
    world.put("home")
    channel = RedisChannel(redis_server.url, namespace, Environment.TEST)
    await channel.put_full(world.full())
    await channel.put_head(world.beat())
    yield world
    await channel.close()


@pytest.fixture
async def channel(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisChannel]:
    opened = RedisChannel(redis_server.url, namespace, Environment.TEST)
    yield opened
    await opened.close()


async def ready(start: Start) -> Machine:
    machine = await asyncio.to_thread(start)
    await asyncio.to_thread(machine.wait_until, machine.ready)
    return machine


def versions(machine: Machine) -> list[int]:
    workers = machine.snapshot()["workers"]
    return [one["status"]["version"] if one["status"] else 0 for one in workers]


def ask(machine: Machine, path: str = "/snapshot") -> dict[str, Any]:
    status, body = get(machine.address, path)
    assert status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


def running_count(machine: Machine) -> int:
    """Requests that are being answered, over all workers."""
    _, body = get(machine.internal, "/metrics")
    lines = [line for line in body.splitlines() if line.startswith("tiny_running{")]
    return int(sum(float(line.rpartition(" ")[2]) for line in lines))


@pytest.mark.usefixtures("published")
async def test_every_worker_serves_the_snapshot(start: Start) -> None:
    machine = await ready(start)
    answers = [await asyncio.to_thread(ask, machine) for _ in range(30)]
    assert {one["version"] for one in answers} == {1}
    assert {one["pid"] for one in answers} == set(machine.worker_pids())
    assert len(machine.worker_pids()) == 2
    assert all(one["slots"] == ["home"] for one in answers)


async def test_a_change_reaches_every_worker(
    start: Start, published: Published, channel: RedisChannel
) -> None:
    machine = await ready(start)
    await channel.publish(published.put("sports"), published.beat())
    await asyncio.to_thread(machine.wait_until, lambda: versions(machine) == [2, 2])
    answers = [await asyncio.to_thread(ask, machine) for _ in range(10)]
    assert all(one["slots"] == ["home", "sports"] for one in answers)


async def test_workers_acknowledge_to_the_control_plane(
    start: Start, published: Published, channel: RedisChannel
) -> None:
    machine = await ready(start)
    await channel.publish(published.put("sports"), published.beat())
    await asyncio.to_thread(machine.wait_until, lambda: versions(machine) == [2, 2])

    await until(lambda: reported(channel, version=2, ok=True))


async def test_a_machine_that_rejects_a_change_reports_it_for_every_worker(
    start: Start, published: Published, channel: RedisChannel
) -> None:
    await ready(start)
    await until(lambda: reported(channel, version=1, ok=True))
    delta = replace(published.put("sports"), digest=Published().digest)
    await channel.publish(delta, replace(published.beat(), digest=delta.digest))
    await until(lambda: reported(channel, version=1, ok=False))


async def reported(channel: RedisChannel, *, version: int, ok: bool) -> bool:
    found = [await channel.report(worker) for worker in ("edge-1/0", "edge-1/1")]
    statuses = [json.loads(raw) if raw else {} for raw in found]
    return all((one.get("version"), one.get("ok")) == (version, ok) for one in statuses)


async def test_the_edge_of_a_new_database_is_ready_and_takes_the_first_change(
    start: Start, channel: RedisChannel
) -> None:
    empty = Published()
    await channel.put_full(empty.full())
    await channel.put_head(empty.beat())

    machine = await ready(start)

    shown = await asyncio.to_thread(machine.snapshot)
    assert (shown["epoch"], shown["version"], shown["objects"]) == (empty.epoch, 0, 0)
    assert all(one["serving"] and one["current"] for one in shown["workers"])
    await channel.publish(empty.put("home"), empty.beat())
    await asyncio.to_thread(machine.wait_until, lambda: versions(machine) == [1, 1])


async def test_without_a_snapshot_the_machine_is_not_ready_and_reports_why(start: Start) -> None:
    machine = await asyncio.to_thread(start)
    status, body = await asyncio.to_thread(get, machine.internal, "/readyz")
    assert status == 503
    assert "No snapshot was received yet" in json.loads(body)["error"]["message"]


@pytest.mark.usefixtures("published")
async def test_a_killed_worker_is_started_again_and_serves(start: Start) -> None:
    machine = await ready(start)
    before = machine.worker_pids()
    send(before[0], signal.SIGKILL)
    await asyncio.to_thread(
        machine.wait_until,
        lambda: machine.ready() and not set(before) & {machine.worker_pids()[0]},
    )
    after = machine.worker_pids()
    assert after[1] == before[1]
    answers = [await asyncio.to_thread(ask, machine) for _ in range(30)]
    assert {one["pid"] for one in answers} == set(after)


@pytest.mark.usefixtures("published")
async def test_a_worker_that_hangs_is_replaced(settings: dict[str, str], start: Start) -> None:
    settings["PLACARD_WORKER_HEARTBEAT_TIMEOUT_S"] = "2"
    machine = await ready(start)
    before = machine.worker_pids()
    send(before[1], signal.SIGSTOP)
    await asyncio.to_thread(
        machine.wait_until,
        lambda: machine.ready() and before[1] not in machine.worker_pids(),
    )
    assert not alive(before[1])


async def test_a_killed_supervisor_leaves_no_worker_and_can_start_again(
    settings: dict[str, str], start: Start, published: Published
) -> None:
    machine = await ready(start)
    pids = machine.worker_pids()
    settings["PLACARD_EDGE_PORT"] = machine.address.rpartition(":")[2]
    send(machine.pid, signal.SIGKILL)
    await asyncio.to_thread(machine.wait_until, lambda: not any(alive(pid) for pid in pids))
    again = await ready(start)
    assert again.address == machine.address
    assert await asyncio.to_thread(versions, again) == [published.version] * 2


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_all_processes_with_exit_code_0(
    start: Start, number: signal.Signals
) -> None:
    machine = await ready(start)
    pids = machine.worker_pids()
    machine.ask_to_stop(number)
    assert await asyncio.to_thread(machine.wait_ended) == 0
    assert not any(alive(pid) for pid in pids)


@pytest.mark.usefixtures("published")
async def test_a_request_that_runs_is_answered_before_the_end(start: Start) -> None:
    machine = await ready(start)
    with ThreadPoolExecutor() as threads:
        answers = [threads.submit(ask, machine, "/slow") for _ in range(8)]
        await asyncio.to_thread(machine.wait_until, lambda: running_count(machine) == 8)
        machine.ask_to_stop()
        codes = await asyncio.to_thread(lambda: [one.result()["pid"] for one in answers])
    assert len(codes) == 8
    assert await asyncio.to_thread(machine.wait_ended) == 0


@pytest.mark.usefixtures("published")
async def test_a_request_that_hangs_does_not_keep_the_machine_from_ending(start: Start) -> None:
    machine = await ready(start)
    host, _, port = machine.address.partition(":")
    with socket.create_connection((host, int(port))) as hanging:
        hanging.sendall(b"GET /hang HTTP/1.1\r\nHost: edge\r\n\r\n")
        await asyncio.to_thread(machine.wait_until, lambda: running_count(machine) == 1)
        machine.ask_to_stop()
        assert await asyncio.to_thread(machine.wait_ended) == 0


async def test_an_edge_starts_from_disk_while_redis_is_away(
    settings: dict[str, str], start: Start, published: Published
) -> None:
    machine = await ready(start)
    machine.ask_to_stop()
    await asyncio.to_thread(machine.wait_ended)
    settings["PLACARD_REDIS_URL"] = "unix:///tmp/pl-nobody-listens-here.sock"
    again = await ready(start)
    answer = await asyncio.to_thread(ask, again)
    assert (answer["version"], answer["slots"]) == (published.version, ["home"])
    shown = await asyncio.to_thread(again.snapshot)
    assert shown["digest"] == published.digest
    assert shown["bell_up"] is False
    assert shown["age_seconds"] > 0


async def test_metrics_show_every_worker_and_the_supervisor(
    start: Start, published: Published
) -> None:
    machine = await ready(start)
    _, body = await asyncio.to_thread(get, machine.internal, "/metrics")
    lines = body.splitlines()
    assert 'tiny_up{worker="0"} 1.0' in lines
    assert 'tiny_up{worker="1"} 1.0' in lines
    assert lines.count("# TYPE tiny_up gauge") == 1
    assert f"placard_edge_snapshot_version {float(published.version)}" in lines
    assert 'placard_edge_worker_up{worker="1"} 1.0' in lines


async def test_wrong_settings_end_it_with_a_line_for_each(
    settings: dict[str, str], tmp_path: Path
) -> None:
    del settings["PLACARD_ENVIRONMENT"]
    settings["PLACARD_EDGE_WORKERS"] = "0"
    settings["PLACARD_EDGE_URL"] = "edge.example"
    settings["PLACARD_REDIS_URL"] = "http://secret@redis"
    machine = Machine(settings, ("-m", "edge"), log=tmp_path / "edge.log")
    assert await asyncio.to_thread(machine.wait_ended) == 2
    named = sorted(line.partition(":")[0] for line in machine.lines)
    assert named == [
        "PLACARD_EDGE_URL",
        "PLACARD_EDGE_WORKERS",
        "PLACARD_ENVIRONMENT",
        "PLACARD_REDIS_URL",
    ]
    assert not any("secret" in line for line in machine.lines)


@pytest.mark.parametrize(
    ("since", "words"),
    [
        ("2999-01-01T00:00:00Z", "2999-01-01T00:00:00.000Z is in the future"),
        ("2026-11-23T00:00:00", "it must have an offset"),
        ("yesterday", "should be a valid datetime"),
        ("1764000000", "it must be a day and a time"),
    ],
)
async def test_a_wrong_time_of_the_upgrade_ends_it_with_a_line(
    settings: dict[str, str], tmp_path: Path, since: str, words: str
) -> None:
    settings["PLACARD_CLICKS_SIGNED_SINCE"] = since
    machine = Machine(settings, ("-m", "edge"), log=tmp_path / "edge.log")
    assert await asyncio.to_thread(machine.wait_ended) == 2
    (line,) = [one for one in machine.lines if not one.startswith("{")]
    assert line.startswith("PLACARD_CLICKS_SIGNED_SINCE: ")
    assert words in line


async def test_a_missing_key_file_ends_it_with_its_path(
    settings: dict[str, str], tmp_path: Path
) -> None:
    settings["PLACARD_KEY_FILE"] = str(tmp_path / "no-such-key-file")
    machine = Machine(settings, ("-m", "edge"), log=tmp_path / "edge.log")
    assert await asyncio.to_thread(machine.wait_ended) == 2
    assert ["no-such-key-file" in line for line in machine.lines] == [True]


@pytest.mark.usefixtures("published")
async def test_stacks_and_profiles_of_each_process_are_behind_the_internal_port(
    start: Start,
) -> None:
    machine = await ready(start)

    async def of(path: str) -> tuple[int, str]:
        return await asyncio.to_thread(get, machine.internal, path)

    own, worker = await of("/debug/stacks"), await of("/debug/stacks?worker=0")
    assert (own[0], worker[0]) == (200, 200)
    assert "supervisor.py" in own[1]
    assert "feed_client.py:run" in worker[1]
    for path in ("/debug/profile?seconds=0.1", "/debug/profile?seconds=0.1&worker=1"):
        status, text = await of(path)
        assert status == 200
        assert "MainThread;" in text
    assert (await of("/debug/stacks?worker=9"))[0] == 404
    for seconds in ("0", "31", "nan", "x"):
        assert (await of(f"/debug/profile?seconds={seconds}"))[0] == 400
    status, _ = await asyncio.to_thread(get, machine.address, "/debug/stacks")
    assert status == 404
