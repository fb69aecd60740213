"""Programs that are forked from a process with their modules are as those that are started by themselves."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deploy.standalone.errors import StartError
from deploy.standalone.prefork import Prefork
from tests.support.waiting import until

_PROGRAM = "tests.deploy.forked_program"


@pytest.fixture
def prefork(tmp_path: Path) -> Iterator[Prefork]:
    one = Prefork(tmp_path, ["common.http.answer", "common.values.ids"])
    one.set_environment({"PYTHONUNBUFFERED": "1"})
    one.start()
    yield one
    one.stop()


def test_a_program_has_its_own_output_ids_and_exit_code(prefork: Prefork) -> None:
    both = [prefork.run_module([_PROGRAM], {}) for _ in range(2)]
    ids = [word for one in both for line in one.lines() for word in line.split()]

    assert len(set(ids)) == 4
    assert {word[:8] for word in ids if "-" not in word} == {ids[1][:8], ids[3][:8]}
    assert ids[1][:8] != ids[3][:8]
    assert [one.wait(20) and one.exit_code for one in both] == [3, 3]


def test_a_program_has_its_command_and_a_session_of_its_own(prefork: Prefork) -> None:
    program = prefork.run_module([_PROGRAM, "wait"], {})
    next(program.lines())
    command = Path(f"/proc/{program.pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")

    assert command[1:] == [b"-m", _PROGRAM.encode(), b"wait"]
    assert os.getsid(program.pid) == program.pid
    program.stop(stop_signal=[(signal.SIGTERM, 20)])
    assert program.exit_code == -signal.SIGTERM
    assert not program.alive()


def test_two_threads_may_end_a_program(prefork: Prefork) -> None:
    with ThreadPoolExecutor(2) as threads:
        for _ in range(5):
            program = prefork.run_module([_PROGRAM, "wait"], {})
            for one in [threads.submit(program.kill) for _ in range(2)]:
                one.result()
            assert program.exit_code == -signal.SIGKILL
            list(program.lines())  # which closes its output


async def test_programs_end_with_the_process_that_forked_them(prefork: Prefork) -> None:
    program = prefork.run_module([_PROGRAM, "wait"], {})
    next(program.lines())
    forking, forked = prefork.identity, program.identity
    assert forking is not None
    assert forked is not None
    os.kill(forking.pid, signal.SIGKILL)

    async def has_ended() -> bool:
        return not forked.alive()

    await until(has_ended)
    assert not program.alive()


def test_without_its_process_nothing_is_started_and_it_is_said(prefork: Prefork) -> None:
    prefork.stop()

    with pytest.raises(StartError, match="is gone"):
        prefork.run_module([_PROGRAM], {})
