"""
``make measure-stitch``: how long a listener waits for the original content where its source stalls, beyond the same
call for content that is not fetched at all. The source wait is the setting's default. The bar is half a second.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from edge.settings import EdgeSettings
from loadtests.bench.report import Report
from tests.edge.stitching.stitching_edge import StitchingEdge, an_uploaded_ad, stitching_edge
from tests.support.sounds import an_mp3

_MAX_MS = 500.0
_ROUNDS = 5
_BREAKS = [{"id": "pre", "type": "pre"}]


def main() -> int:
    report = Report(
        "stitch-stalled", reach={"max_file_added_ms": _MAX_MS, "max_hls_added_ms": _MAX_MS}
    )
    report.reach |= {"max_session_added_ms": _MAX_MS}
    with tempfile.TemporaryDirectory() as folder:
        report.figures = asyncio.run(_measure(Path(folder)))
    return report.print()


async def _measure(folder: Path) -> dict[str, float]:
    async with stitching_edge(folder, *an_uploaded_ad(folder, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        url = (await edge.stitch(_body(edge, "/episode.mp3", "progressive", "file")))["url"]
        for path in ("/episode.mp3", "/stalled.mp3", "/stalled.m3u8"):
            edge.origin.held[path] = asyncio.Event()
        edge.edge.clock.advance(ms=31_000)  # the content must be revalidated
        audio = edge.edge.context.audio
        assert audio is not None
        audio.wait_s = EdgeSettings.model_fields["audio_wait_ms"].default / 1000
        plain_ms = await _median_ms(lambda: edge.stitch({"slot": "podcast", "breaks": _BREAKS}))
        file = _body(edge, "/stalled.mp3", "progressive", "file")
        hls = _body(edge, "/stalled.m3u8", "hls", "hls")
        return {
            "plan_ms": plain_ms,
            "file_added_ms": await _median_ms(lambda: edge.stitch(file)) - plain_ms,
            "hls_added_ms": await _median_ms(lambda: edge.stitch(hls)) - plain_ms,
            "session_added_ms": await _median_ms(lambda: edge.get(url)) - plain_ms,
        }


def _body(edge: StitchingEdge, path: str, kind: str, output: str) -> dict[str, Any]:
    content = {"url": edge.origin.url(path), "kind": kind}
    return {"slot": "podcast", "breaks": _BREAKS, "content": content, "output": output}


async def _median_ms(act: Callable[[], Awaitable[object]]) -> float:
    found = list[float]()
    for _ in range(_ROUNDS):
        begun_s = time.perf_counter()
        await act()
        found.append((time.perf_counter() - begun_s) * 1000)
    return median(found)


if __name__ == "__main__":
    sys.exit(main())
