"""Started programs end at a signal, and when their starter ends."""

import subprocess
import sys
from pathlib import Path
from signal import SIGTERM

from deploy.standalone.process import Identity, Process
from deploy.standalone.supervisor import Supervisor

_START_AND_DIE = """
import os, pathlib, sys
from deploy.standalone.process import Process
process = Process.start(["sleep", "300"], output=pathlib.Path(sys.argv[1]))
while pathlib.Path(f"/proc/{process.pid}/comm").read_text().strip() != "sleep":
    pass
print(process.pid, flush=True)
os.kill(os.getpid(), 9)
"""


class Sleeper:
    """Something to keep running."""

    name = "sleeper"

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self.process: Process | None = None

    @property
    def identity(self) -> Identity | None:
        return self.process.identity if self.process else None

    def start(self) -> None:
        self.process = Process.start(["sleep", "300"], output=self._log)

    def alive(self) -> bool:
        return self.process is not None and self.process.alive()


def test_a_program_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    starter = subprocess.run(
        [sys.executable, "-c", _START_AND_DIE, str(tmp_path / "log")],
        capture_output=True,
        check=False,
    )
    assert starter.returncode == -9
    left = Identity.find(int(starter.stdout))
    while left is not None and left.alive():
        pass  # the signal is on its way; a test that hangs here has found it was not


def test_kill_ends_what_a_dead_program_has_left(tmp_path: Path) -> None:
    process = Process.start(["sh", "-c", "sleep 300 & echo $!"], output=tmp_path / "log")
    assert process.wait(30)
    orphan = Identity.find(int((tmp_path / "log").read_text(encoding="ascii")))
    assert orphan is not None
    process.kill()
    assert not orphan.alive()


def test_stop_kills_a_program_that_does_not_listen(tmp_path: Path) -> None:
    deaf = "trap '' TERM; echo deaf; while true; do sleep 0.1; done"
    process = Process.start(["sh", "-c", deaf], output=tmp_path / "log")
    while not (tmp_path / "log").read_text(encoding="ascii"):
        pass
    process.stop(stop_signal=[(SIGTERM, 0.2)])
    assert process.exit_code == -9


def test_what_dies_is_started_again(tmp_path: Path) -> None:
    text: list[str] = []
    sleeper = Sleeper(tmp_path)
    supervisor = Supervisor(text.append, changed=lambda: None)
    supervisor.watch(sleeper)
    first = sleeper.identity
    assert sleeper.process is not None
    sleeper.process.kill()
    assert supervisor.run(until=lambda: sleeper.alive() and sleeper.identity != first, timeout_s=30)
    assert text == ["sleeper has died; starting it again"]
    assert supervisor.deaths(sleeper) == 1
    sleeper.process.kill()
