"""Everything on one machine: `run` it, `show` how to reach it, operate it, or only fetch Kafka."""

import argparse
import ctypes
import os
import signal
import sys
from functools import partial
from pathlib import Path
from types import FrameType

from deploy.standalone.child import ROOT
from deploy.standalone.demo import Demo
from deploy.standalone.errors import StartError
from deploy.standalone.kafka_jars import fetch
from deploy.standalone.operate import read_running, run_admin, shell_lines
from deploy.standalone.screen import render_screen
from deploy.standalone.settings import find_state, read_settings
from deploy.standalone.stack import Stack
from deploy.standalone.state import end_leftovers, locked

_PR_SET_PDEATHSIG = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _SignalReceived(BaseException):
    """A signal requested the stop of the stack."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m deploy.standalone", description=__doc__)
    acts = ("run", "show", "env", "admin", "fetch-kafka")
    parser.add_argument("act", nargs="?", choices=acts, default="run")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="admin: what `control admin` takes")
    parser.add_argument(
        "--stop-with-parent",
        action="store_true",
        help="stop when the program that started this one ends, however it ends",
    )
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("The one-machine stack runs on Linux: it needs its /proc and death signals.")
    try:
        if options.act == "fetch-kafka":
            fetch(report)
        elif options.act == "show":
            show()
        elif options.act == "env":
            demo = read_running(find_state(os.environ, ROOT), "demo.json")
            print("\n".join(shell_lines(demo)))
        elif options.act == "admin":
            sys.exit(run_admin(find_state(os.environ, ROOT), options.rest))
        else:
            run(stop_with_parent=options.stop_with_parent)
    except StartError as trouble:
        sys.exit(f"\n{trouble}")


def run(*, stop_with_parent: bool) -> None:
    """Runs the stack until SIGINT, SIGTERM or SIGHUP."""
    for number in _SIGNALS:
        signal.signal(number, _raise_stop)
    if stop_with_parent:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    stop_check = partial(keeps_signals, os.getppid()) if stop_with_parent else lambda: False
    state = find_state(os.environ, ROOT)
    try:
        with locked(state):
            for name in end_leftovers(state):
                report(f"ended {name}, left running by an earlier start")
            stack = Stack(read_settings(os.environ, state), report, stop_check)
            try:
                stack.run()
            finally:
                for number in _SIGNALS:
                    signal.signal(number, signal.SIG_IGN)
                report("stopping")
                stack.stop()
    except _SignalReceived:
        pass
    report("stopped")


def show() -> None:
    """Prints the screen of the stack that runs on this state."""
    state = find_state(os.environ, ROOT)
    print(render_screen(Demo(**read_running(state, "demo.json")), state))


def keeps_signals(parent: int) -> bool:
    """Whether `make` received SIGINT or SIGHUP, and no other process did.

    `make` then waits for this process without passing the signal on, and keeps it blocked meanwhile.
    """
    status = Path(f"/proc/{parent}/status")
    try:
        fields = dict(line.split(":", 1) for line in status.read_text("utf-8").splitlines())
    except OSError:
        return False
    blocked = int(fields["SigBlk"], 16)
    return any(blocked & (1 << (number - 1)) for number in (signal.SIGINT, signal.SIGHUP))


def report(text: str) -> None:
    print(f"==> {text}", flush=True)


def _raise_stop(_number: int, _frame: FrameType | None) -> None:
    for number in _SIGNALS:  # `make` and the terminal may both send one
        signal.signal(number, signal.SIG_IGN)
    raise _SignalReceived


if __name__ == "__main__":
    main()
