"""How an edge stops: its time limits, and how workers end when their supervisor ends, however that happens (Linux)."""

import ctypes
import os
import signal

REQUESTS_S = 2.5
"""Time for running requests when a worker stops. They take milliseconds, so only slow clients are cut off."""
SHIPPING_S = 1.0
"""Time after that for spooled records to reach the event log. The rest stays on disk for another worker."""
STOP_S = 4
"""Limit for the whole stop: a worker still running then is killed, and the machine ends. Give an edge a little more."""
HAND_OVER_S = 10.0
"""How long a replaced worker responds on open connections; each is closed after its response."""

_PR_SET_PDEATHSIG = 1


class SupervisorGone(Exception):
    """The parent process ended before this process could tie itself to it."""


def die_with_parent(parent: int) -> None:
    """Has the kernel send SIGTERM to this process when *parent* ends. Raises `SupervisorGone` if it has ended."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        raise SupervisorGone(f"process {parent} is gone")


def end_within(limit_s: int) -> None:
    """Has the kernel end this process after *limit_s*, whatever it is doing then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit_s)
