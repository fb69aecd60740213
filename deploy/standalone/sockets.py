"""Where servers of this machine listen: a short private folder for sockets, and free ports."""

import hashlib
import os
import secrets
import socket
import stat
from functools import cache
from pathlib import Path

from deploy.standalone.errors import StartError

_OUTGOING_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST_CHOSEN_PORT = 10_000  # below are ports that well-known servers listen on


def socket_folder(owner: Path) -> Path:
    """The folder for the socket of the server whose data is in `owner`; always the same for one `owner`.

    It is in /tmp, because the path of `owner` may be too long for a socket. It is not created here.
    """
    digest = hashlib.sha256(os.fsencode(owner.resolve())).hexdigest()[:8]
    return Path("/tmp") / f"placard-{digest}"  # noqa: S108 - `make_private` checks who made it


def make_private(folder: Path) -> None:
    """Make `folder` with mode 0700. Refuse a folder of another user, because anyone may create one in /tmp."""
    folder.mkdir(mode=0o700, exist_ok=True)
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode) or os.geteuid() not in {0, seen.st_uid}:
        raise StartError(
            f"{folder} belongs to somebody else, and sockets must not be put there. "
            "Remove it, or choose another PLACARD_STATE."
        )
    folder.chmod(0o700)


def find_free_ports(count: int) -> list[int]:
    """Different loopback ports without a listener, reserved for this process until it ends.

    They are outside the range that the system uses for outgoing connections: one of those could take a port
    after it was chosen and before its server listens. Other processes that choose here leave them out.
    """
    found: list[int] = []
    while len(found) < count:
        port = secrets.choice(_choosable_ports())
        if port_is_free(port) and _reserve(port):
            found.append(port)
    return found


@cache
def _choosable_ports() -> list[int]:
    first, last = map(int, _OUTGOING_PORTS.read_text(encoding="ascii").split())
    every = range(_FIRST_CHOSEN_PORT, 2**16)
    return [port for port in every if not first <= port <= last] or list(every)


def _reserve(port: int) -> bool:
    """Bind an abstract socket named after `port`, which stays open until this process ends."""
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind(f"\0placard-port-{port}")
    except OSError:
        mark.close()
        return False
    mark.detach()
    return True


def port_is_free(port: int) -> bool:
    """Whether a server could listen on loopback `port` now."""
    with socket.socket() as probe:
        # As servers do, so that connections still closing do not make the port look taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
