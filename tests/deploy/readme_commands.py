"""The commands of the README, run against a stack elsewhere than `make run`."""

import os
import re
import subprocess

from deploy.verified import ROOT


def run_block(block: str, exports: str, **variables: str) -> str:
    """The output of a block of the README, with *exports* in place of `make env`. *variables*: of its shell, too."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", exports + block.replace('eval "$(make -s env)"', "")],
        cwd=ROOT,
        env={**os.environ, **variables},  # noqa: TID251 - a shell needs its own
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def follow_readme(exports: str, **variables: str) -> list[str]:
    """The outputs of its three blocks: an ad, what an impression is answered with, the newest event."""
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL
    )
    return [run_block(block, exports, **variables) for block in blocks]
