"""
Tools for the stack that runs on a state: its addresses for a shell, and the operator's commands
with its settings.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from deploy.standalone.child import ROOT
from deploy.standalone.errors import StartError
from deploy.standalone.state import noted, read_json

ENVIRONMENT = "environment.json"
"""The settings of every program of the stack. Stored beside ``demo.json``, with the same mode and lifetime."""


def read_running(state: Path, name: str) -> Any:
    """Raise `StartError` if no stack runs on *state*; a stack that was killed leaves its files behind."""
    content = read_json(state / name)
    if content is None or not any(one.alive() for one in noted(state)):
        raise StartError(f"No stack runs on {state}. Start one with `make run`.")
    return content


def shell_lines(demo: dict[str, Any]) -> Iterator[str]:
    """``export`` lines for a shell: CONTROL_URL, EDGE_LIVE_URL, EDGE_TEST_URL, ACCOUNT_ID, PROPERTY_ID, PK_TEST …"""
    values = {
        "CONTROL_URL": demo["control_url"],
        "EDGE_LIVE_URL": demo["edge_live_url"],
        "EDGE_TEST_URL": demo["edge_test_url"],
        "ACCOUNT_ID": demo["account_id"],
        "PROPERTY_ID": demo["property"]["id"],
        **{name.upper(): key["key"] for name, key in demo["keys"].items()},
    }
    for name, value in values.items():
        yield f"export {name}={shlex.quote(value)}"


def run_admin(state: Path, arguments: Sequence[str]) -> int:
    """Run ``python -m control admin …`` with the stack's settings; return its exit code."""
    environment = {**os.environ, **read_running(state, ENVIRONMENT)}
    command = [sys.executable, "-m", "control", "admin", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode
