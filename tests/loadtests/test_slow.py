"""`SLOW=2` makes the servers of a bench slower, and a bench that cannot be slowed says so."""

import os
import subprocess
import sys
import time

import pytest

from loadtests.bench import slow

_WORK = """
import time
began = time.perf_counter()
while time.thread_time() < 0.3:
    pass
print(time.perf_counter() - began)
"""


def test_without_slow_nothing_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLOW", raising=False)
    assert (slow.slowness(), slow.slow_means(0)) == (1.0, "none")


@pytest.mark.parametrize(("text", "times"), [("2", 2.0), ("1.5", 1.5), ("0.5", 1.0)])
def test_slow_says_how_many_times(monkeypatch: pytest.MonkeyPatch, text: str, times: float) -> None:
    monkeypatch.setenv("SLOW", text)
    assert slow.slowness() == times


def test_a_bench_without_a_core_of_its_own_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOW", "2")
    with pytest.raises(SystemExit, match="bench-loop"):
        slow.refuse_slow("loop")


def test_a_server_in_the_group_gets_its_share_of_a_core_alone() -> None:
    """In a process of its own, which the group or the burners outlive by nothing."""
    program = (
        "import os, subprocess, sys\n"
        "from loadtests.bench import slow\n"
        "means = slow.slow_means(0)\n"
        f"child = subprocess.run([sys.executable, '-c', {_WORK!r}], capture_output=True, text=True,"
        " preexec_fn=lambda: (os.sched_setaffinity(0, {0}), slow.join_slow_group()))\n"
        "print(means, child.stdout)\n"
    )
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SLOW": "3"},  # noqa: TID251 - a program needs its own
        check=True,
        capture_output=True,
        text=True,
    )
    means, took_s = done.stdout.split()
    assert means in {"quota", "burner"}
    assert float(took_s) >= 0.6, "0.3 s of the processor in a third of a core take 0.9 s"
    assert time.monotonic() - began_s < 60
