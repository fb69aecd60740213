"""Installs missing programs from Debian's packages, if apt is available."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Say = Callable[[str], None]


class NotInstalled(Exception):
    """The message is for the person at the terminal."""


_LISTS = Path("/var/lib/apt")


def install_missing(
    packages: Sequence[str], report: Say, *, otherwise: str, lists: Path = _LISTS
) -> None:
    """
    Waits while another process of Placard installs. Raises `NotInstalled`.

    *otherwise*: the message for machines where apt is missing or not permitted.
    *lists*: the folder of apt that is locked meanwhile.
    """
    if not packages:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NotInstalled(otherwise)
    report(f"installing {' '.join(packages)} with apt-get")
    with _locked(lists):
        _run(["apt-get", "update", "-qq"], "apt-get could not update its lists")
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        _run([*install, *packages], f"apt-get could not install {' '.join(packages)}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Of two `apt-get` at once, one fails. apt's own locks are of another kind, so that this one does not stop it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _run(command: list[str], failed: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotInstalled(f"{failed} (`{' '.join(command)}`):\n{last_lines(done)}")


def last_lines(done: subprocess.CompletedProcess[str]) -> str:
    """The end of a command's output."""
    return "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
