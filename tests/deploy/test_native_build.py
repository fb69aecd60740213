"""`make run` builds what is written in C beside its start, and never fails for lack of it."""

import sys
from pathlib import Path

import pytest

from deploy.standalone.native_build import NativeBuild

_FAILS = "import sys; sys.exit('Compiling needs a C compiler.')"
_NEVER_ENDS = "import signal; signal.pause()"


class Start:
    """One start of the stack, with *code* in place of the compiler."""

    def __init__(self, folder: Path, code: str, *, given_mode: str | None = None) -> None:
        self.messages: list[str] = []
        self.built = folder / "built"
        self.build = NativeBuild(
            self.messages.append,
            given_mode=given_mode,
            folder=self.built,
            log=folder / "build.log",
            build=(sys.executable, "-c", code, str(self.built)),
            max_wait_s=0.2 if code == _NEVER_ENDS else 60.0,
        )

    def run(self) -> dict[str, str]:
        self.build.start()
        try:
            return self.build.find_environment()
        finally:
            self.build.stop()


def test_the_first_start_builds_and_the_next_one_finds_it_built(tmp_path: Path) -> None:
    first = Start(tmp_path, "import os, sys; os.mkdir(sys.argv[1])")
    again = Start(tmp_path, _FAILS)

    assert first.run() == again.run() == {"PLACARD_COMPILED": "c"}
    assert [len(first.messages), len(again.messages)] == [2, 1]
    assert "with the C extensions" in again.messages[-1]


@pytest.mark.parametrize(
    ("code", "reason"), [(_FAILS, "needs a C compiler"), (_NEVER_ENDS, "The next start uses them")]
)
def test_without_a_build_in_time_programs_run_from_source(
    tmp_path: Path, code: str, reason: str
) -> None:
    start = Start(tmp_path, code)

    assert start.run() == {}
    assert "running from source" in start.messages[-1]
    assert reason in start.messages[-1]


def test_a_mode_that_is_set_is_left_alone(tmp_path: Path) -> None:
    start = Start(tmp_path, _FAILS, given_mode="1")

    assert start.run() == {}
    assert start.messages == ["running with PLACARD_COMPILED=1"]
