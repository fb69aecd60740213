"""
``make load``: runs the mix headless for a minute against the running stack; prints locust's table.

Exit code 1 if any call failed or nothing was served.
"""

import os
import subprocess
import sys
from pathlib import Path

from loadtests.users.stack import demo

_RESULTS = Path("loadtests/results")


def main() -> int:
    demo()
    _RESULTS.mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "locust",
        "-f",
        "loadtests/locustfile.py",
        "--headless",
        "--users",
        os.environ.get("LOAD_USERS", "20"),
        "--spawn-rate",
        "10",
        "--run-time",
        os.environ.get("LOAD_TIME", "60s"),
        "--stop-timeout",
        "5",
        "--only-summary",
        "--csv",
        str(_RESULTS / "load"),
        "--exit-code-on-error",
        "1",
    ]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
