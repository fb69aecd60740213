"""The extensions that are written in C: built once for each version of their source, while the servers start."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from deploy.standalone.child import ROOT
from deploy.standalone.process import Process

MODE = "PLACARD_COMPILED"
BUILD = ("nice", "-n", "10", sys.executable, "-m", "deploy.compile", "--c-only")
_MAX_WAIT_S = 5.0
"""A build takes some seconds of a core, as PostgreSQL's first start does. Installing a compiler may take minutes."""
_LAST_LINES = 8

Say = Callable[[str], None]


class NativeBuild:
    """
    The build of one start of the stack: `start`, then `find_environment`; `stop` whatever happened.

    *given_mode*: ``PLACARD_COMPILED``, if somebody has set it: then nothing is built. *folder*: where the extensions
    are, once they are built. *log*: for the build's output.
    """

    def __init__(
        self,
        report: Say,
        *,
        given_mode: str | None,
        folder: Path,
        log: Path,
        build: Sequence[str] = BUILD,
        max_wait_s: float = _MAX_WAIT_S,
    ) -> None:
        self._say = report
        self._given_mode = given_mode
        self._folder = folder
        self._log = log
        self._build = build
        self._max_wait_s = max_wait_s
        self._process: Process | None = None

    def start(self) -> None:
        """Begins the build in the background, unless there is nothing to build."""
        if self._given_mode is None and not self._folder.exists():
            self._say("compiling the C extensions, once for this version")
            self._log.unlink(missing_ok=True)
            self._process = Process.start(self._build, output=self._log, folder=ROOT)

    def find_environment(self) -> dict[str, str]:
        """Returns what has the programs use the extensions; empty where those are not there in time. Says which."""
        if self._given_mode is not None:
            self._say(f"running with {MODE}={self._given_mode}")
            return {}
        if self._process is not None and not self._process.wait(self._max_wait_s):
            reason = "the C extensions are still being built. The next start uses them."
        elif not self._folder.exists():
            reason = f"the C extensions could not be built.\n{self._read_last_lines()}"
        else:
            self._say("running with the C extensions, so serve calls are answered from a cache")
            return {MODE: "c"}
        self._say(f"running from source, without a cache of serve calls: {reason}")
        return {}

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _read_last_lines(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LAST_LINES:])
