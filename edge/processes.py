"""What keeps a worker from outliving its supervisor, however that one ends (Linux)."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


class SupervisorGone(Exception):
    """The process that started us has ended before we could tie ourselves to it."""


def die_with_parent(parent: int) -> None:
    """From now on the kernel sends us SIGTERM when *parent* ends. Raises `SupervisorGone` where it has."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        raise SupervisorGone(f"process {parent} is gone")


def end_within(limit_s: int) -> None:
    """The kernel ends this process after *limit_s*, whatever it is doing then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit_s)
