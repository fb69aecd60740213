"""
Starts the servers that an edge is compared with, each alone on the server's core, all with constant responses of one
size.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from deploy.debian import NotInstalled, install_missing
from loadtests.bench.rounds import SERVER_CORE, pinned_to
from loadtests.bench.servers import Running, await_ready, end, free_port

_HERE = Path(__file__).parent


class BaselineMissing(Exception):
    """This machine lacks the server; the message says what is missing."""


@contextmanager
def bare_sanic(folder: Path, body_bytes: int) -> Iterator[Running]:
    """Sanic at its best settings."""
    with _python("bare_sanic", folder, body_bytes) as running:
        yield running


@contextmanager
def floor(folder: Path, body_bytes: int) -> Iterator[Running]:
    """Uvloop and httptools alone."""
    with _python("floor", folder, body_bytes) as running:
        yield running


@contextmanager
def bare_go(folder: Path, body_bytes: int) -> Iterator[Running]:
    """``net/http`` on one processor, built here. Raises `BaselineMissing`."""
    go = _program("go", "/usr/local/go/bin/go", package="golang-go")
    binary = folder / "go-baseline"
    built = subprocess.run(
        [go, "build", "-o", str(binary), "."],
        cwd=_HERE / "go",
        env={**os.environ, "CGO_ENABLED": "0"},
        capture_output=True,
        check=False,
    )
    if built.returncode:
        raise BaselineMissing(f"`go build` failed: {built.stderr.decode()[-300:]}")
    port = free_port()
    command = [str(binary), str(port), str(body_bytes)]
    with _alone(command, folder, port, environment={"GOMAXPROCS": "1"}) as running:
        yield running


@contextmanager
def nginx(folder: Path, body_bytes: int) -> Iterator[Running]:
    """Nginx with a constant response. Raises `BaselineMissing`."""
    binary = _program("nginx", "/usr/sbin/nginx", package="nginx-light")
    port = free_port()
    text = (_HERE / "nginx.conf").read_text(encoding="utf-8")
    for name, value in (("PORT", str(port)), ("FOLDER", str(folder)), ("BODY", "x" * body_bytes)):
        text = text.replace(name, value)
    config = folder / "nginx.conf"
    config.write_text(text, encoding="utf-8")
    with _alone([binary, "-c", str(config), "-p", str(folder)], folder, port) as running:
        yield running


BASELINES: Mapping[str, Callable[[Path, int], AbstractContextManager[Running]]] = {
    "bare_sanic": bare_sanic,
    "bare_go": bare_go,
    "nginx": nginx,
    "uvloop_httptools": floor,
}


def _program(name: str, path: str, *, package: str) -> str:
    """The path of the program, installed from Debian's *package* if needed. Raises `BaselineMissing`."""
    found = shutil.which(name) or shutil.which(path)
    if found is None:
        otherwise = f"there is no `{name}` here; on Debian and Ubuntu: apt-get install {package}"
        try:
            install_missing([package], print, otherwise=otherwise)
        except NotInstalled as error:
            raise BaselineMissing(str(error)) from error
        found = shutil.which(name) or shutil.which(path)
    if found is None:
        raise BaselineMissing(f"{package} was installed and brought no `{name}`")
    return found


def _python(module: str, folder: Path, body_bytes: int) -> AbstractContextManager[Running]:
    port = free_port()
    name = f"loadtests.bench.baselines.{module}"
    return _alone([sys.executable, "-m", name, str(port), str(body_bytes)], folder, port)


@contextmanager
def _alone(
    command: Sequence[str],
    folder: Path,
    port: int,
    *,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Running]:
    with (folder / f"{Path(command[0]).name}-{port}.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env={**os.environ, **(environment or {})},
            preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
        )
    try:
        await_ready(port, "/v1/serve")
        yield Running(port, process.pid)
    finally:
        end(process)
