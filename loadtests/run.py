"""
``make load``, ``load-soak``, ``load-spike``, ``load-break``: the mix, headless, against the running stack.

Prints locust's table and the gate's line of JSON, and writes CSV and an HTML report with charts into
``loadtests/results``. Exit code 1 if an objective was missed. ``LOAD_USERS`` and ``LOAD_SECONDS`` change the size,
``LOAD_DEMO`` and ``LOAD_DATABASE_URL`` the target. With ``LOAD_PROMETHEUS_URL``, the Prometheus of a stack in
containers for example, it also writes the edges' p99 over time as CSV and as a picture.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from loadtests.over_time import NoTimes, read_p99s, write_p99s
from loadtests.users.stack import demo

_RESULTS = Path("loadtests/results")


@dataclass(frozen=True, slots=True)
class Run:
    """The defaults of a shape. ``settings``: of the users, as variables."""

    users: int
    seconds: int
    settings: tuple[tuple[str, str], ...] = ()


RUNS: Final = {
    "ramp": Run(20, 60),
    "soak": Run(20, 3600),
    # The readers' site calls from its server: from one address, the limit of visitors would answer 429.
    "spike": Run(10, 90, (("LOAD_KEY", "secret"),)),
    # Only readers, as a server that has no limit per address: the others' limits would end the run first.
    "break": Run(20, 600, (("LOAD_KEY", "secret"), ("LOAD_ONLY", "Reader"))),
}


def main(arguments: Sequence[str]) -> int:
    shape = arguments[0] if arguments else "ramp"
    if shape not in RUNS:
        sys.stderr.write(f"No shape {shape!r}: choose of {', '.join(RUNS)}.\n")
        return 2
    demo()
    _RESULTS.mkdir(exist_ok=True)
    run = RUNS[shape]
    own = {
        "LOAD_SHAPE": shape,
        "LOAD_USERS": str(run.users),
        "LOAD_SECONDS": str(run.seconds),
        **dict(run.settings),
    }
    command = [
        *(sys.executable, "-m", "locust", "-f", "loadtests/locustfile.py", "--headless"),
        *("--stop-timeout", "5", "--only-summary"),
        *("--csv", str(_RESULTS / shape), "--html", str(_RESULTS / f"{shape}.html")),
        # The gate decides, and allows as many failures as the objective does.
        *("--exit-code-on-error", "0"),
    ]
    began_s = time.time()
    code = subprocess.run(command, env={**own, **os.environ}, check=False).returncode
    prometheus = os.environ.get("LOAD_PROMETHEUS_URL")
    if prometheus and not _write_over_time(prometheus, shape, began_s):
        return code or 1
    return code


def _write_over_time(prometheus: str, shape: str, began_s: float) -> bool:
    """Whether Prometheus had times of the run."""
    files = _RESULTS / f"{shape}-p99.csv", _RESULTS / f"{shape}-p99.svg"
    try:
        write_p99s(read_p99s(prometheus, began_s, time.time()), *files)
    except NoTimes as failure:
        sys.stderr.write(f"{failure}\n")
        return False
    sys.stdout.write(f"The edges' p99 over time: {files[0]}, {files[1]}\n")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
