"""What counts of a file that was sent: ads as impressions, and a minute of the content as a download."""

import logging
import re
from pathlib import Path

import pytest

from common.values.enums import EventKind, QualitySignal
from tests.edge.stitching.stitching_edge import (
    BROWSER,
    FILE_BREAKS,
    a_file,
    an_uploaded_ad,
    names_of,
    stitching_edge,
)
from tests.support.builders import PROPERTY_ID
from tests.support.raw_http import ask, connection, get, read_answer
from tests.support.sounds import an_mp3
from tests.support.waiting import until
from tests.support.worker import events_of


async def test_a_file_is_sent_in_ranges_and_counts_once_when_all_of_an_ad_was_sent(
    tmp_path: Path,
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(70)
        body = a_file(edge, breaks=FILE_BREAKS[:1])
        url = (await edge.stitch(body))["url"]
        whole = await edge.get(url, method="HEAD")
        size, etag = int(whole.headers["content-length"]), whole.headers["etag"]
        pieces = [await edge.get(url, "Range: bytes=0-29999")]
        before = [event.kind for event in await events_of(edge.edge.context)]
        pieces.append(await edge.get(url, f"Range: bytes=30000-{size}", f"If-Range: {etag}"))
        counted = await events_of(edge.edge.context)
        again = await edge.get(url)
        after = await events_of(edge.edge.context)
        downloads = edge.edge.context.metrics.audio_downloads.total()

    assert [one.status for one in pieces] == [206, 206]
    assert [one.headers.get("content-range") for one in (whole, *pieces)] == [
        None,
        f"bytes 0-29999/{size}",
        f"bytes 30000-{size - 1}/{size}",
    ]
    assert b"".join(one.body for one in pieces) == again.body
    assert len(again.body) == size
    assert before == [QualitySignal.START, QualitySignal.FIRST_QUARTILE]
    assert sorted(event.kind.value for event in counted) == sorted(
        [EventKind.IMPRESSION.value]
        + [
            f"{name}"
            for name in ("start", "first_quartile", "midpoint", "third_quartile", "complete")
        ]
    )
    assert len(after) == len(counted)
    assert downloads == 1


async def test_a_download_is_a_minute_of_content_once_in_24_hours_for_an_address_and_agent(
    tmp_path: Path,
) -> None:
    """IAB Podcast Measurement 2.2. The address and the agent are kept as a keyed hash alone."""
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        content = edge.origin.files["/episode.mp3"] = an_mp3(70)
        metrics, audio = edge.edge.context.metrics, edge.edge.context.audio
        assert audio is not None

        async def downloads_after(*ranges: str, agent: str = BROWSER) -> int:
            """As another session of the same content."""
            url = (await edge.stitch(a_file(edge, breaks=FILE_BREAKS[:1])))["url"]
            path = url.removeprefix("https://edge.example")
            for one in ranges:
                request = get(path, f"User-Agent: {agent}", f"Range: bytes={one}")
                assert (await ask(edge.edge.port, request)).status == 206
            return metrics.audio_downloads.total()

        nearly_a_minute = await downloads_after(f"0-{len(content) * 3 // 4}")
        whole = await downloads_after("0-")
        again = await downloads_after("0-")
        edge.edge.clock.advance(ms=86_300_000)
        same_day = await downloads_after("0-")
        another_agent = await downloads_after("0-", agent="AntennaPod/3.4")
        edge.edge.clock.advance(ms=200_000)
        edge.edge.adopt(edge.edge.context.snapshots.current())  # an old one serves no ads
        next_day = await downloads_after("0-")
        people = [name for name in names_of(audio.sessions) if "download" in name]

    assert (nearly_a_minute, whole, again, same_day) == (0, 1, 1, 1)
    assert (another_agent, next_day) == (2, 3)
    assert list(metrics.audio_downloads) == [PROPERTY_ID]
    assert len(people) == 2
    assert all(re.fullmatch("download:[0-9a-f]{32}", one) for one in people)


@pytest.mark.parametrize(
    ("pieces", "downloads"),
    [([(0, 15), (15, 20)], 1), ([(at, at + 1) for at in range(20)], 1), ([(0, 15)] * 2, 0)],
    ids=["resumed", "in small ranges", "one range twice"],
)
async def test_the_ranges_of_a_download_add_up(
    tmp_path: Path, pieces: list[tuple[int, int]], downloads: int
) -> None:
    """*pieces*: starts and ends of ranges, in twentieths of a file. 15 have less than a minute of the content."""
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(70)
        url = (await edge.stitch(a_file(edge, breaks=FILE_BREAKS[:1])))["url"]
        size = int((await edge.get(url, method="HEAD")).headers["content-length"])
        for start, end in pieces:
            piece = f"Range: bytes={size * start // 20}-{size * end // 20 - 1}"
            assert (await edge.get(url, piece)).status == 206

        assert edge.edge.context.metrics.audio_downloads.total() == downloads


async def test_a_listener_who_hangs_up_with_the_last_byte_is_counted(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        url = (await edge.stitch(a_file(edge, breaks=FILE_BREAKS[:1])))["url"]
        path = url.removeprefix("https://edge.example")
        request = f"GET {path} HTTP/1.1\r\nHost: test\r\nUser-Agent: {BROWSER}\r\n\r\n"
        async with connection(edge.edge.port) as (reader, writer):
            writer.write(request.encode())
            await read_answer(reader)

        async def is_counted() -> bool:
            events = await events_of(edge.edge.context)
            return EventKind.IMPRESSION in {event.kind for event in events}

        await until(is_counted)


async def test_a_file_that_was_sent_in_pieces_logs_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    errors = logging.getLogger("sanic.error")
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        url = (await edge.stitch(a_file(edge)))["url"]
        errors.addHandler(caplog.handler)
        try:
            whole = await edge.get(url)
            piece = await edge.get(url, "Range: bytes=0-29999")
        finally:
            errors.removeHandler(caplog.handler)

    assert (whole.status, piece.status) == (200, 206)
    assert int(whole.headers["content-length"]) == len(whole.body) > 65_536
    assert caplog.messages == []
