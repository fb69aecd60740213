"""Run from source, without a compiler, an edge has no serve cache and gives the same answers."""

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_TESTS = ("tests/edge/http/test_fast_serve.py", "tests/edge/http/test_serve_fast_path_with_uid.py")


def test_the_tests_of_the_fast_path_pass_from_source() -> None:
    done = subprocess.run(
        [
            "env",
            "PLACARD_COMPILED=0",
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n0",
            "-p",
            "no:cacheprovider",
            *_TESTS,
        ],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
