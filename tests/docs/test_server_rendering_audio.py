"""The blocks of `docs/server-rendering/audio.md`, each run as a server would run it against a real edge."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from deploy.standalone.child import ROOT
from tests.edge.stitching.stitching_edge import an_uploaded_ad, stitching_edge
from tests.support.sounds import an_mp3

_PAGE = (ROOT / "docs" / "server-rendering" / "audio.md").read_text()
_RUN = {
    "sh": ("bash", "-euo", "pipefail", "-c"),
    "python": (sys.executable, "-c"),
    "js": ("node", "--input-type=module", "-e"),
}


@pytest.mark.parametrize("language", _RUN)
async def test_a_block_gets_a_session_with_an_ad(tmp_path: Path, language: str) -> None:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", _PAGE, flags=re.MULTILINE | re.DOTALL)
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        text = {
            "EDGE_URL": f"http://127.0.0.1:{edge.edge.port}",
            "SECRET_KEY": edge.key,
            "CONTENT_URL": edge.origin.url("/episode.mp3"),
        }
        done = await asyncio.create_subprocess_exec(
            *(*_RUN[language], block),
            env={**os.environ, **text},  # noqa: TID251 - a program needs its own
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        shown, faults = await done.communicate()

    assert done.returncode == 0, faults.decode()
    assert json.loads(shown)["filled_ms"] == 5_000
