"""
Podman and Buildah for images and containers of this checkout: installed where they are missing, with a storage of their
own in ``build/containers``.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deploy.debian import Say, install_missing, last_lines

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "containers"
_PACKAGES = {
    "buildah": "buildah",
    "podman": "podman",
    "runc": "runc",
    "iptables": "iptables",
    "/usr/lib/podman/netavark": "netavark",
    "/usr/lib/podman/aardvark-dns": "aardvark-dns",
    "skopeo": "skopeo",
    "catatonit": "catatonit",
}
"""Debian's package of each program."""
_NEEDED = "Images are built and run by buildah and podman, as root. On Debian: apt-get install {}."
_CONTAINERS = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]

[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"

[network]
network_backend = "netavark"
"""
"""Works without systemd. A container may not exceed the limits of the machine that starts it."""
_STORAGE = """\
[storage]
driver = "{driver}"
graphroot = "{folder}/storage"
runroot = "/run/placard-containers"
"""


class ImageError(Exception):
    """The message is for the person at the terminal."""


class Engine:
    """Runs ``podman`` and ``buildah`` with the settings of this checkout; `Engine.open` makes one."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment

    @classmethod
    def open(cls, report: Say) -> "Engine":
        """Raises `NotInstalled` where a program is missing and cannot be installed."""
        missing = [package for program, package in _PACKAGES.items() if not shutil.which(program)]
        install_missing(missing, report, otherwise=_NEEDED.format(" ".join(missing)))
        FOLDER.mkdir(parents=True, exist_ok=True)
        containers, storage = FOLDER / "containers.conf", FOLDER / "storage.conf"
        containers.write_text(_CONTAINERS)
        engine = cls(
            os.environ
            | {
                "CONTAINERS_CONF": str(containers),
                "CONTAINERS_STORAGE_CONF": str(storage),
                # Health checks run without systemd: by whoever starts the containers.
                "DISABLE_HC_SYSTEMD": "true",
            }
        )
        # Where the kernel has no overlay file system, each layer is a whole copy.
        for driver in ("overlay", "vfs"):
            storage.write_text(_STORAGE.format(driver=driver, folder=FOLDER))
            used = engine.ask("podman", "info", "--format={{.Store.GraphRoot}}")
            if used is not None:
                require_own(Path(used))
                return engine
        raise ImageError(f"`podman info` fails:\n{last_lines(engine.try_to('podman', 'info'))}")

    def run(self, *command: str, timeout_s: float | None = None) -> str:
        """The output of *command*. Raises `ImageError` with the end of its messages if it fails."""
        done = self.try_to(*command, timeout_s=timeout_s)
        if done.returncode != 0:
            raise ImageError(f"`{' '.join(command)}` failed:\n{last_lines(done)}")
        return done.stdout

    def ask(self, *command: str) -> str | None:
        """The output of *command* without space around it; None if it fails."""
        done = self.try_to(*command)
        return done.stdout.strip() if done.returncode == 0 else None

    def try_to(
        self, *command: str, timeout_s: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """*command* to its end, whatever its exit code."""
        return subprocess.run(
            command,
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )

    def show(self, *command: str) -> None:
        """Runs *command* with its output on the terminal. Raises `ImageError` if it fails."""
        done = subprocess.run(command, env=self.environment, cwd=ROOT, check=False)
        if done.returncode != 0:
            raise ImageError(f"`{' '.join(command)}` failed, for the reason above.")

    def has(self, image: str) -> bool:
        return self.try_to("podman", "image", "exists", image).returncode == 0


def require_own(used: Path) -> None:
    """Podman's database says where its storage is: in a copied checkout, that is the storage of the original."""
    if used != FOLDER / "storage":
        raise ImageError(
            f"{FOLDER} is a copy: its images are in {used}. Remove {FOLDER}/storage, then start again."
        )


def niced(command: Sequence[str]) -> tuple[str, ...]:
    """*command* at a low priority: builds leave the machine to those who work at it."""
    return ("nice", "-n", "10", *command)
