"""A small disk of its own, which a drill fills and gives room again."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_CHUNK_BYTES = 65_536


class DrillImpossible(RuntimeError):
    """This machine lacks what the drill needs; the message names it."""


@dataclass(frozen=True, slots=True)
class SmallDisk:
    folder: Path

    def fill(self) -> None:
        """Writes one file until not a byte more fits."""
        chunk = bytes(_CHUNK_BYTES)
        with self._ballast.open("ab", buffering=0) as file:
            while chunk:
                try:
                    file.write(chunk)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    chunk = chunk[: len(chunk) // 2]

    def make_room(self) -> None:
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[SmallDisk]:
    """
    A file system in memory, mounted at the new *folder*. *size*: such as ``64m``. Raises `DrillImpossible` where this
    user may not mount one.
    """
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "placard-drill", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise DrillImpossible(f"a small disk needs the right to mount: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
