"""Node packages that tests run, installed from a lock where they are not yet."""

import subprocess
from pathlib import Path

from tests.support.one_at_a_time import one_at_a_time

JUDGES = Path(__file__).parent.parent / "browser"
"""The folder of other people's players and checkers, by which pages, documents and sounds are judged."""


def install(folder: Path) -> Path:
    """`node_modules` of *folder* as its `package-lock.json` says."""
    modules = folder / "node_modules"
    lock = (folder / "package-lock.json").read_bytes()
    stamp = modules / "installed-from.json"
    with one_at_a_time("npm"):
        if not stamp.exists() or stamp.read_bytes() != lock:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            stamp.write_bytes(lock)
    return modules
