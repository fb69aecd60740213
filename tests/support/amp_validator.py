"""
AMP's own validator on AMPHTML ads. npm has the program that runs it, `amphtml-validator`, but not its rules: they are a
file of AMP's (`validator_wasm.js`), which the project does not contain.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

from tests.support import npm

VARIABLE: Final = "AMP_VALIDATOR_JS"
"""Environment variable: path of the validator's file."""
_FORMAT: Final = "AMP4ADS"


def amp_validator_faults(document: str) -> list[str]:
    """
    Returns what the validator reports about *document*, errors and warnings; empty where `VARIABLE` is not set. Raises
    where the validator does not run.
    """
    named = os.environ.get(VARIABLE)  # noqa: TID251 - tests alone read it
    if not named:
        return []
    file = Path(named).resolve(strict=True)
    program = npm.install(npm.JUDGES) / "amphtml-validator" / "cli.js"
    options = ["--validator_js", str(file), "--html_format", _FORMAT, "--format", "json"]
    done = subprocess.run(
        ["node", str(program), *options, "-"],
        input=document,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, f"{VARIABLE}={named}: {done.stderr}"
    result = json.loads(done.stdout)["-"]
    faults = [f"{one['line']}:{one['col']} {one['message']}" for one in result["errors"]]
    return faults if faults or result["status"] == "PASS" else [result["status"]]
