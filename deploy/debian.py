"""
Programs from Debian's packages. They are installed on this machine if apt is available, or in a root directory of their
own, made by debootstrap, if this machine's release does not have them.
"""

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Say = Callable[[str], None]
_RELEASE = "trixie"
_NAMESPACE = ("unshare", "--mount", "--fork", "--kill-child")
_ENTER = """
root=$1 tree=$2
shift 2
for folder in /proc /sys /dev /tmp; do mount --rbind "$folder" "$root$folder"; done
for file in /etc/hosts /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt; do
  if [ -e "$file" ]; then touch "$root$file" && mount --bind "$file" "$root$file"; fi
done
mkdir -p "$root$tree"
mount --bind "$tree" "$root$tree"
exec chroot "$root" env --unset=PIP_FIND_LINKS --chdir="$tree" "$@"
"""
"""A shell script for a mount namespace of its own: its mounts end with it."""


class NotInstalled(Exception):
    """The message is for the person at the terminal."""


_LISTS = Path("/var/lib/apt")
_LOCKED_S, _RETRY_S = 600.0, 0.5
"""How long another program may hold apt's locks, and how often to try again."""


def install_missing(
    packages: Sequence[str], report: Say, *, otherwise: str, lists: Path = _LISTS
) -> None:
    """
    Waits while another program installs. Raises `NotInstalled`.

    *otherwise*: the message for machines where apt is missing or not permitted.
    *lists*: the folder of apt that is locked meanwhile.
    """
    if not packages:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NotInstalled(otherwise)
    report(f"installing {' '.join(packages)} with apt-get")
    with _locked(lists):
        _run_apt(["apt-get", "update", "-qq"], "apt-get could not update its lists")
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        _run_apt([*install, *packages], f"apt-get could not install {' '.join(packages)}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Of two `apt-get` at once, one fails. apt's own locks are of another kind, so that this one does not stop it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def why_no_root() -> str | None:
    """Returns why no root directory can be made and entered here, as the end of a sentence; None if it can."""
    if os.geteuid() != 0:
        return "only root can install Debian 13's with debootstrap"
    if shutil.which("debootstrap") is None and shutil.which("apt-get") is None:
        return "there is neither debootstrap nor apt-get to install Debian 13's"
    namespace = ["unshare", "--mount", "true"]
    if subprocess.run(namespace, capture_output=True, check=False).returncode != 0:
        return f"`{' '.join(namespace)}` fails here, so that Debian 13's cannot be entered"
    return None


def make_root(root: Path, packages: Sequence[str], report: Say) -> None:
    """Makes the root directory *root*, a Debian 13 with *packages*, unless it is there. Raises `NotInstalled`."""
    if root.exists():
        return
    lacks = shutil.which("debootstrap") is None
    needed = ["debootstrap", "debian-archive-keyring"] if lacks else []
    install_missing(needed, report, otherwise="Install debootstrap.")
    report(f"installing Debian 13 into {root}")
    unfinished = root.with_name(f"{root.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    # It mounts folders of this machine; in a namespace of its own, none is left if it is killed.
    options = ["--variant=minbase", "--force-check-gpg", f"--include={','.join(packages)}"]
    command = [*_NAMESPACE, "debootstrap", *options, _RELEASE, str(unfinished)]
    _run(command, "debootstrap could not install Debian 13")
    unfinished.rename(root)


def enter_root(root: Path, tree: Path) -> tuple[str, ...]:
    """Returns the command that runs another one in *root*, with *tree* at its own path as the working directory."""
    return (*_NAMESPACE, "sh", "-euc", _ENTER, "sh", str(root), str(tree))


def _run_apt(command: list[str], failed: str) -> None:
    """
    Repeats *command* while another program holds a lock of apt. Its option `DPkg::Lock::Timeout` waits for those of
    packages, not for that of the lists.
    """
    until_s = time.monotonic() + _LOCKED_S
    while True:
        try:
            return _run(command, failed)
        except NotInstalled as error:
            if "Could not get lock" not in str(error) or time.monotonic() >= until_s:
                raise
        time.sleep(_RETRY_S)


def _run(command: list[str], failed: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotInstalled(f"{failed} (`{' '.join(command)}`):\n{last_lines(done)}")


def last_lines(done: subprocess.CompletedProcess[str]) -> str:
    """The end of a command's output."""
    return "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
