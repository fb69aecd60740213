"""The commands a person types, and the signals they pass on."""

import subprocess
import sys
from pathlib import Path

import pytest

from deploy.standalone.__main__ import keeps_signals

_ROOT = Path(__file__).resolve().parents[2]
_WAIT = "import signal; {}; print(flush=True); signal.pause()"
_BLOCK = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})"


def test_make_alone_prints_every_target() -> None:
    printed = subprocess.run(["make"], cwd=_ROOT, capture_output=True, text=True, check=True).stdout
    names = {line.split()[1] for line in printed.splitlines()}
    assert names >= {"setup", "run", "test", "test-long", "check", "format", "lint", "types"}
    assert names >= {"bench-%", "load", "openapi", "demo", "lock", "clean"}


@pytest.mark.parametrize(("does", "keeps"), [(_BLOCK, True), ("pass", False)])
def test_a_parent_that_keeps_an_interrupt_to_itself_is_noticed(does: str, *, keeps: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WAIT.replace("{}", does)], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert keeps_signals(parent.pid) is keeps
        parent.kill()


def test_the_compiled_run_names_files_that_are_there() -> None:
    """Pytest gives no warning of an ``--ignore`` of a path that does not exist."""
    command = ["make", "-n", "test-compiled"]
    printed = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True).stdout
    words = [word.removeprefix("--ignore=") for word in printed.split()]
    paths = [word for word in words if word.startswith("tests/")]
    assert len(paths) > 20
    assert [path for path in paths if not (_ROOT / path).exists()] == []
