"""Executes the program on its command line, tied to the life of its starter.

The stack starts every program through this file. A `kill -9` of the starter thus leaves nothing
running, and PostgreSQL, which refuses to run as root, gets another user.
It uses the standard library only: it runs with `-I -S`, before any package can be imported.
"""

import argparse
import ctypes
import os
import pwd
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_SET_SECUREBITS = 28
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2
_CAP_SETPCAP = 8
_SECBIT_NO_SETUID_FIXUP = 4

_libc = ctypes.CDLL(None, use_errno=True)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starter", type=int, required=True, help="process to live with")
    parser.add_argument("--death-signal", type=int, required=True, help="sent when it dies")
    parser.add_argument("--user", help="user to become first")
    parser.add_argument("--reach", action="append", default=[], help="folder the user must enter")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.user:
        become(options.user, [options.command[0], *options.reach])
    # Changing the user clears the death signal, so it is set afterwards.
    _check(_libc.prctl(_PR_SET_PDEATHSIG, options.death_signal, 0, 0, 0))
    if os.getppid() != options.starter:
        sys.exit("the starter is gone")
    os.execvp(options.command[0], options.command)  # noqa: S606 - no shell is the point


def become(user: str, reach: list[str]) -> None:
    """Change to `user` for good.

    A clone below a private folder (`/root`, `mktemp -d`) cannot be entered by another user. To keep that folder
    private, keep the one capability to pass through folders.
    """
    entry = pwd.getpwnam(user)
    permitted = _permitted()
    _check(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
    os.setgroups([])
    os.setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid)
    os.setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid)
    if all(os.access(path, os.X_OK) for path in reach):
        return
    for capability in (_CAP_DAC_READ_SEARCH, _CAP_DAC_OVERRIDE):
        needed = (1 << capability) | (1 << _CAP_SETPCAP)
        if permitted & needed == needed:
            _keep(capability, needed)
            return
    sys.exit(f"user {user} cannot enter {' or '.join(reach)}; put them where others may pass")


def _permitted() -> int:
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    _check(_libc.capget(ctypes.byref(header), sets))
    return int(sets[0].permitted)


def _keep(capability: int, needed: int) -> None:
    """Pass `capability` on to the program, which gets nothing else of `needed`."""
    header, sets = _Header(_CAPABILITY_VERSION_3, 0), (_Sets * 2)()
    sets[0] = _Sets(needed, needed, 1 << capability)
    _check(_libc.capset(ctypes.byref(header), sets))
    # Without it, `access(2)` ignores capabilities; PostgreSQL uses that call to find its own files.
    _check(_libc.prctl(_PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP, 0, 0, 0))
    _check(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
