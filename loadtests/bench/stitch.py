"""
`make bench-stitch`: one worker's work for stitched audio, without a network: plans a second through the real app on a
loopback connection, manifests a second, and megabytes of joined file a second against a plain copy of the same file.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import orjson

from edge.audio.playlist import AdSegments, PlacedBreak, parse_media_playlist, stitched
from loadtests.bench.report import Report
from loadtests.bench.rounds import bench_seconds
from tests.edge.stitching.stitching_edge import StitchingEdge, an_uploaded_ad, stitching_edge
from tests.support.raw_http import connection, read_answer
from tests.support.sounds import an_mp3

_SEGMENTS = 600
"""An hour of content."""
_PIECE_BYTES = 65_536
_CONTENT_S = 120.0


def main() -> int:
    report = Report("stitch")
    with tempfile.TemporaryDirectory() as folder:
        report.figures = asyncio.run(_measure(Path(folder)))
    return report.print()


async def _measure(folder: Path) -> dict[str, float]:
    seconds = bench_seconds(5.0)
    ads = an_uploaded_ad(folder, "a", seconds=10)
    async with stitching_edge(folder, *ads) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(_CONTENT_S)
        plans_per_s = await _plans(edge, seconds)
        joined_mb_per_s, copied_mb_per_s = await _files(edge, folder, seconds)
    return {
        "plans_per_s": plans_per_s,
        "manifests_per_s": _manifests(seconds),
        "joined_mb_per_s": joined_mb_per_s,
        "cat_mb_per_s": copied_mb_per_s,
    }


async def _plans(edge: StitchingEdge, seconds: float) -> float:
    body = orjson.dumps({"slot": "podcast", "breaks": [{"id": "pre", "type": "pre"}]})
    head = (
        f"POST /v1/audio/stitch HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {edge.key}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    count, begun_s = 0, time.perf_counter()
    async with connection(edge.edge.port) as (reader, writer):
        while time.perf_counter() - begun_s < seconds:
            writer.write(head.encode() + body)
            count += (await read_answer(reader)).status == 200
    return count / (time.perf_counter() - begun_s)


async def _files(edge: StitchingEdge, folder: Path, seconds: float) -> tuple[float, float]:
    session = await edge.stitch(
        {
            "slot": "podcast",
            "breaks": [{"id": "mid", "type": "mid", "offset_ms": 60_000}],
            "content": {"url": edge.origin.url("/episode.mp3"), "kind": "progressive"},
            "output": "file",
        }
    )
    if not session["filled_ms"]:
        raise SystemExit("The content was not fetched in time: run it on a less busy machine.")
    plain = folder / "joined.mp3"
    plain.write_bytes((await edge.get(session["url"])).body)
    sent, begun_s = 0, time.perf_counter()
    while time.perf_counter() - begun_s < seconds:
        sent += len((await edge.get(session["url"])).body)
    joined = sent / (time.perf_counter() - begun_s) / 1e6
    copied, begun_s = 0, time.perf_counter()
    while time.perf_counter() - begun_s < seconds:
        copied += await _cat(plain)
    return joined, copied / (time.perf_counter() - begun_s) / 1e6


async def _cat(path: Path) -> int:
    """Sends the file over a loopback connection as it stands."""
    server = await asyncio.start_server(lambda _, writer: _send_file(path, writer), "127.0.0.1", 0)
    async with connection(server.sockets[0].getsockname()[1]) as (reader, _):
        size = len(await reader.read(-1))
    server.close()
    return size


async def _send_file(path: Path, writer: asyncio.StreamWriter) -> None:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    writer.close()


def _manifests(seconds: float) -> float:
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"]
    for number in range(_SEGMENTS):
        lines += ["#EXTINF:6.000,", f"s{number}.ts"]
    text = "\n".join([*lines, "#EXT-X-ENDLIST", ""])
    ad = AdSegments([("https://edge.example/0.ts", 6000)] * 5, "https://edge.example/a0.m3u8")
    breaks = [PlacedBreak("a", 0, [ad]), PlacedBreak("b", 300, [ad])]
    count, begun_s = 0, time.perf_counter()
    while time.perf_counter() - begun_s < seconds:
        stitched(parse_media_playlist(text, "https://cdn.example/show.m3u8"), breaks)
        count += 1
    return count / (time.perf_counter() - begun_s)


if __name__ == "__main__":
    sys.exit(main())
