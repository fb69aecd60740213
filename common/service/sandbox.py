"""Resource limits of the process that inspects a file, set by the process itself before it reads the first byte."""

import ctypes
import resource
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x1000_0000
_CLONE_NEWNET = 0x4000_0000


def confine(*, memory_bytes: int, cpu_s: int, output_bytes: int) -> None:
    """
    Sets limits that cannot be lifted. Exceeding the memory raises MemoryError or kills the process, exceeding the CPU
    time kills it, and exceeding the output raises OSError. The process dies with its parent.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output_bytes, output_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def leave_network() -> bool:
    """
    Moves this process, which must have one thread, into a network namespace without a way out.

    Returns False where the kernel refuses (no user namespaces, or a container's seccomp profile); then only the limits
    of `confine` apply.
    """
    failed: int = ctypes.CDLL(None).unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    return failed == 0
