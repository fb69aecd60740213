"""
``python -m deploy.swift test`` runs Swift's package manager on the iOS library of ``clients/ios``.

Swift 6 is looked for on the PATH. Where there is none, debootstrap installs Debian 13's in a root directory of its own,
which needs the rights of root. It stays in ``build/swift``, with what was compiled.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.service.compiled import ROOT
from deploy.debian import NotInstalled, enter_root, make_root, why_no_root

_FOLDER = ROOT / "build" / "swift"
SCRATCH = _FOLDER / "scratch"
"""Where the package manager puts what it compiles."""
_PACKAGES = ("swiftlang", "libc6-dev", "libstdc++-14-dev", "libgcc-14-dev", "ca-certificates")
_STAND_INS = {"PLACARD_STAND_INS": "1"} if sys.platform == "linux" else {}
"""Adds to the package what the views need of Apple's modules; a Mac has those."""
_TOOLS_OF_DEBIAN = "/usr/libexec/swift/bin"
_OLDEST = 6


@dataclass(frozen=True)
class Toolchain:
    """
    *tools*: the folder of its programs, as seen from inside its root directory; empty: those of the PATH. *prefix*: the
    command that enters that root directory; empty for a toolchain of this machine.
    """

    tools: str = ""
    prefix: tuple[str, ...] = ()

    def command(
        self, tool: str, *arguments: str, env: Mapping[str, str] | None = None
    ) -> list[str]:
        """
        A command for the folder of the repository. *tool*: one of the toolchain, or the path of a program. *env* is
        added to this process's environment.
        """
        path = f"{self.tools}/{tool}" if self.tools and "/" not in tool else tool
        values = [f"{name}={value}" for name, value in (_STAND_INS | dict(env or {})).items()]
        return [*self.prefix, "env", *values, path, *arguments]

    def run(
        self, tool: str, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Its output, with errors, is text in ``stdout``."""
        return subprocess.run(
            self.command(tool, *arguments, env=env),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def package_options() -> list[str]:
    """Options of ``swift build`` and ``swift test``: a chroot has no sandbox of its own."""
    return ["--disable-sandbox", "--scratch-path", str(SCRATCH.relative_to(ROOT))]


def prepare() -> Toolchain:
    """Returns a toolchain that runs. Raises `NotInstalled`."""
    own = Toolchain()
    if shutil.which("swift") is not None and _version(own) >= _OLDEST:
        return own
    reason = why_no_root()
    if reason is not None:
        raise NotInstalled(f"There is no Swift {_OLDEST} on the PATH, and {reason}.")
    root = _FOLDER / "root"
    make_root(root, _PACKAGES, _report)
    return Toolchain(_TOOLS_OF_DEBIAN, enter_root(root, ROOT))


def _version(toolchain: Toolchain) -> int:
    """0 if the program does not run."""
    found = re.search(r"Swift version (\d+)", toolchain.run("swift", "--version").stdout)
    return int(found[1]) if found else 0


def _report(line: str) -> None:
    print(f"==> {line}", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code. *arguments*: ``build`` or ``test``, and more options of it."""
    if not arguments or arguments[0] not in {"build", "test"}:
        print("Say what to do: python -m deploy.swift build, or test.", file=sys.stderr)
        return 2
    try:
        toolchain = prepare()
    except NotInstalled as error:
        print(error, file=sys.stderr)
        return 1
    command = toolchain.command("swift", arguments[0], *package_options(), *arguments[1:])
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
