"""How an edge ends: in what time when told to, and no worker after its supervisor, however that one ends (Linux)."""

import ctypes
import os
import signal

REQUESTS_S = 2.5
"""For requests that run when a worker is told to stop; they take milliseconds, so only slow clients are cut."""
SHIPPING_S = 1.0
"""After that, for what is spooled to reach the event log; the rest stays on disk for another worker."""
STOP_S = 4
"""For all of it: a worker that has not ended by then is killed, and the machine ends. Give an edge a little more."""
HAND_OVER_S = 10.0
"""How long a worker that another one replaces answers on connections that are open; each is closed by its answer."""

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
