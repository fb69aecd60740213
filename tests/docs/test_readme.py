"""The README's own shell blocks, run in order against a running stack."""

import os
import re
import subprocess
from pathlib import Path

from deploy.standalone.background import Background
from deploy.standalone.child import ROOT

README = ROOT / "README.md"
_FILE = "/tmp/placard-ad.json"  # noqa: S108 - of the README, where its reader is alone


def shell_blocks(text: str) -> list[str]:
    """What stands in ```sh fences; plain fences are not meant to be run."""
    return re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run(block: str, state: Path) -> str:
    """With a file of its own: several processes run these tests."""
    block = block.replace(_FILE, str(state / "ad.json"))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=ROOT,
        env={**os.environ, "PLACARD_STATE": str(state)},  # noqa: TID251 - a shell needs its own
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_every_shell_block_of_the_readme_does_what_it_says(stack: Background) -> None:
    serve, track, events = (run(block, stack.state) for block in shell_blocks(README.read_text()))

    assert '"track_token":' in serve
    assert "204 No Content" in track
    assert '"kind":"impression"' in events
    assert '"valid":true' in events
