"""
Has the tests run on what is written in C, as users do, and builds it where it is missing or older than its source.

``PLACARD_COMPILED=1`` has them run on everything that `make compile` builds, ``PLACARD_COMPILED=0`` from source, where
the tests of the serve cache fail.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_NAME = "PLACARD_COMPILED"
_ROOT = Path(__file__).resolve().parents[2]


def _choose_mode() -> str:
    """Also for the processes that tests start."""
    given = os.environ.get(_NAME)  # noqa: TID251 - before anything can read settings
    if given:
        return given
    build = [sys.executable, "-m", "deploy.compile", "--c-only"]
    done = subprocess.run(build, cwd=_ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.exit(f"`{' '.join(build[1:])}` failed:\n{done.stdout}{done.stderr}", returncode=2)
    os.environ[_NAME] = "c"  # noqa: TID251 - as above
    return "c"


MODE = _choose_mode()
