"""
``make load``, ``load-soak``, ``load-spike``, ``load-break``: the mix, headless, against the running stack.

Prints locust's table and the gate's line of JSON, and writes CSV and an HTML report with charts into
``loadtests/results``. Exit code 1 if an objective was missed. ``LOAD_USERS`` and ``LOAD_SECONDS`` change the size,
``LOAD_DEMO`` and ``LOAD_DATABASE_URL`` the target. With ``LOAD_PROMETHEUS_URL``, the Prometheus of a stack in
containers for example, it also writes the edges' p99 over time as CSV and as a picture.

``LOAD_MIX`` chooses a mix of `loadtests.mixes`. With ``LOAD_WORKERS`` above 1 as many processes of locust share the
users, and one more judges the calls of all. ``LOAD_REMOTE_WORKERS`` is how many it expects from other machines, which
`load-worker` starts there: ``LOAD_MASTER`` names this machine, ``LOAD_PORT`` its port (5557).
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.standalone.sockets import find_free_ports
from loadtests.mixes import EVERYONE, NoUsers, choose_weights
from loadtests.over_time import NoTimes, read_p99s, write_p99s
from loadtests.users.stack import demo

_RESULTS = Path("loadtests/results")
_LOCUST: Final = (sys.executable, "-m", "locust", "-f", "loadtests/locustfile.py")
_PORT: Final = 5557
_MAX_WORKERS: Final = 256
_CONNECT_S: Final = 120
"""Within which all workers must have connected to the master."""
_STOP_S: Final = 15.0


class SettingWrong(Exception):
    """A ``LOAD_…`` variable that no load can run with. The message names it and the values that are possible."""


@dataclass(frozen=True, slots=True)
class Run:
    """The defaults of a shape. ``settings``: of the users, as variables."""

    users: int
    seconds: int
    settings: tuple[tuple[str, str], ...] = ()


RUNS: Final = {
    "ramp": Run(20, 60),
    "soak": Run(20, 3600),
    # The readers' site calls from its server: from one address, the limit of visitors would answer 429.
    "spike": Run(10, 90, (("LOAD_KEY", "secret"),)),
    # Only readers, as a server that has no limit per address: the others' limits would end the run first.
    "break": Run(20, 600, (("LOAD_KEY", "secret"), ("LOAD_ONLY", "Reader"))),
}


def main(arguments: Sequence[str]) -> int:
    shape = arguments[0] if arguments else "ramp"
    if shape not in (*RUNS, "worker"):
        sys.stderr.write(f"No shape {shape!r}: choose of {', '.join(RUNS)}.\n")
        return 2
    try:
        return _work(dict(os.environ)) if shape == "worker" else _load(shape, dict(os.environ))
    except (SettingWrong, NoUsers) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _load(shape: str, given: Mapping[str, str]) -> int:
    environment = _environment(shape, given)
    local = _count(given, "LOAD_WORKERS", 1)
    remote = _count(given, "LOAD_REMOTE_WORKERS", 0)
    if local + remote == 0:
        raise SettingWrong(
            "LOAD_WORKERS=0 needs LOAD_REMOTE_WORKERS: somebody must make the calls."
        )
    demo()
    _RESULTS.mkdir(exist_ok=True)
    command = [
        *(*_LOCUST, "--headless", "--stop-timeout", "5", "--only-summary"),
        *("--csv", str(_RESULTS / shape), "--html", str(_RESULTS / f"{shape}.html")),
        # The gate decides, and allows as many failures as the objective does.
        *("--exit-code-on-error", "0"),
    ]
    began_s = time.time()
    if (local, remote) == (1, 0):
        code = subprocess.run(command, env=environment, check=False).returncode
    else:
        # Locust asks no worker for a password: the port is opened to other machines only for workers of theirs.
        host = "*" if remote else "127.0.0.1"
        port = _port(given) if remote else find_free_ports(1)[0]
        command += ["--master", "--master-bind-host", host, "--master-bind-port", str(port)]
        command += ["--expect-workers", str(local + remote)]
        command += ["--expect-workers-max-wait", str(_CONNECT_S)]
        with _workers(local, "127.0.0.1", port, environment):
            code = subprocess.run(command, env=environment, check=False).returncode
    prometheus = given.get("LOAD_PROMETHEUS_URL")
    if prometheus and not _write_over_time(prometheus, shape, began_s):
        return code or 1
    return code


def _work(given: Mapping[str, str]) -> int:
    """Runs workers for the master on another machine until it quits. Returns 1 if one of them failed."""
    master = given.get("LOAD_MASTER")
    if not master:
        raise SettingWrong(
            "LOAD_MASTER is missing: the address of the machine that `make load` runs on."
        )
    shape = given.get("LOAD_SHAPE", "ramp")
    if shape not in RUNS:
        raise SettingWrong(f"LOAD_SHAPE={shape} is no shape. Choose of {', '.join(RUNS)}.")
    environment = _environment(shape, given)
    count = _count(given, "LOAD_WORKERS", 1) or 1
    demo()
    with _workers(count, master, _port(given), environment) as workers:
        return int(max(worker.wait() for worker in workers) != 0)


def _environment(shape: str, given: Mapping[str, str]) -> dict[str, str]:
    """Returns *given* with the defaults of *shape*. Its users are those of the mix, where one is given."""
    run = RUNS[shape]
    own = {
        "LOAD_SHAPE": shape,
        "LOAD_USERS": str(run.users),
        "LOAD_SECONDS": str(run.seconds),
        **dict(run.settings),
    }
    if "LOAD_MIX" in given:
        own.pop("LOAD_ONLY", None)
    environment = {**own, **given}
    choose_weights(environment.get("LOAD_MIX", EVERYONE), environment.get("LOAD_ONLY", ""))
    return environment


def _count(given: Mapping[str, str], name: str, default: int) -> int:
    text = given.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and int(text) <= _MAX_WORKERS):
        raise SettingWrong(f"{name}={text}: give a number of workers from 0 to {_MAX_WORKERS}.")
    return int(text)


def _port(given: Mapping[str, str]) -> int:
    text = given.get("LOAD_PORT") or str(_PORT)
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16):
        raise SettingWrong(f"LOAD_PORT={text} is no port.")
    return int(text)


@contextmanager
def _workers(
    count: int, master: str, port: int, environment: Mapping[str, str]
) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Starts *count* workers. They end when the master quits; those that do not are stopped."""
    command = [*_LOCUST, "--worker", "--stop-timeout", "5", "--exit-code-on-error", "0"]
    command += ["--master-host", master, "--master-port", str(port)]
    workers = [subprocess.Popen(command, env=environment) for _ in range(count)]
    try:
        yield workers
    finally:
        for worker in workers:
            _end(worker)


def _end(worker: "subprocess.Popen[bytes]") -> None:
    try:
        worker.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def _write_over_time(prometheus: str, shape: str, began_s: float) -> bool:
    """Whether Prometheus had times of the run."""
    files = _RESULTS / f"{shape}-p99.csv", _RESULTS / f"{shape}-p99.svg"
    try:
        write_p99s(read_p99s(prometheus, began_s, time.time()), *files)
    except NoTimes as failure:
        sys.stderr.write(f"{failure}\n")
        return False
    sys.stdout.write(f"The edges' p99 over time: {files[0]}, {files[1]}\n")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
