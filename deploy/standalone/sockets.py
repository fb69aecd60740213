"""Where servers of this machine listen: a short private folder for sockets, and free ports."""

import hashlib
import os
import socket
import stat
from contextlib import ExitStack
from pathlib import Path

from deploy.standalone.trouble import StartError


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
    """Different loopback ports without a listener at this moment."""
    with ExitStack() as probes:
        opened = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in opened:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in opened]


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
