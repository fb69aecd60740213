"""
A source that stalls costs a request one deadline, whatever the request needs of it. The tests count fetches and waits
instead of time: the machine may be busy.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.values.enums import CampaignStatus
from edge.audio.contents import Content, ContentCache
from edge.audio.parts import AudioParts
from edge.audio.sounds import Sounds
from edge.state.asset_folder import AssetFolder
from tests.edge.stitching.stitching_edge import StitchingEdge, an_uploaded_ad, stitching_edge
from tests.support.builders import a_later_snapshot
from tests.support.raw_http import RawAnswer
from tests.support.sounds import an_mp3
from tests.support.waiting import PATIENCE_S, until

BREAKS = [{"id": "pre", "type": "pre"}]
WAIT_S = 0.4
MASTER = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"\nlow/a.m3u8\n'
MEDIA = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.0,\ns0.ts\n#EXT-X-ENDLIST\n"


def a_body(edge: StitchingEdge, path: str, kind: str, output: str) -> dict[str, Any]:
    content = {"url": edge.origin.url(path), "kind": kind}
    return {"slot": "podcast", "breaks": BREAKS, "content": content, "output": output}


@pytest.mark.parametrize("held", ["/show.m3u8", "/low/a.m3u8"])
async def test_no_stalled_playlist_is_waited_for_twice(tmp_path: Path, held: str) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files |= {"/show.m3u8": MASTER.encode(), "/low/a.m3u8": MEDIA.encode()}
        body = a_body(edge, "/show.m3u8", "hls", "hls")
        url = (await edge.stitch(body))["url"]
        variant = (await edge.get(url)).body.decode().splitlines()[-1]
        stall(edge, held)
        new = await edge.stitch(body)
        for_new, edge.origin.requested = edge.origin.requested, []
        playing = await edge.get(variant)

    assert (new["filled_ms"], new["url"]) == (0, edge.origin.url("/show.m3u8"))
    assert redirected(playing) == edge.origin.url(held)
    assert for_new == edge.origin.requested
    assert for_new.count(held) == 1
    assert len(for_new) == len(set(for_new))


async def test_no_stalled_file_is_waited_for_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = list[float]()
    find = ContentCache.find

    async def counted(
        cache: ContentCache, url: str, property_id: str, *, wait_s: float
    ) -> Content | None:
        found = await find(cache, url, property_id, wait_s=wait_s)
        if found is None:
            waits.append(wait_s)
        return found

    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(5)
        body = a_body(edge, "/episode.mp3", "progressive", "file")
        url = (await edge.stitch(body))["url"]
        edge.edge.clock.advance(ms=31_000)
        monkeypatch.setattr(ContentCache, "find", counted)
        stall(edge, "/episode.mp3")
        new = await edge.stitch(body)
        for_new, waits = waits, []
        playing = await edge.get(url)

    assert (new["filled_ms"], new["url"]) == (0, edge.origin.url("/episode.mp3"))
    assert redirected(playing) == edge.origin.url("/episode.mp3")
    assert (for_new, waits) == ([WAIT_S], [WAIT_S])


async def test_a_stalled_store_of_sounds_is_the_original_file_until_it_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = HeldStore(monkeypatch)
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a"), wait_ms=50) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(5)
        body = a_body(edge, "/episode.mp3", "progressive", "file")
        async with asyncio.timeout(PATIENCE_S):
            while not store.reads:  # until then the content itself may be late
                stalled = await edge.stitch(body)
            again = await edge.stitch(body)
            held = len(store.reads)
            store.released.set()
            while not (ready := await edge.stitch(body))["filled_ms"]:
                pass

    assert (stalled["filled_ms"], again["filled_ms"], ready["filled_ms"]) == (0, 0, 5_000)
    assert again["url"] == edge.origin.url("/episode.mp3")
    assert held == 1
    assert len(store.reads) == len(set(store.reads))


async def test_a_stalled_store_of_sounds_is_the_original_playlist_until_it_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/show.m3u8"] = MEDIA.encode()
        body = a_body(edge, "/show.m3u8", "hls", "hls")
        url = (await edge.stitch(body))["url"]
        store = HeldStore(monkeypatch)
        audio = edge.edge.context.audio
        assert audio is not None
        forget_sounds(audio)
        audio.wait_s = WAIT_S
        async with asyncio.timeout(PATIENCE_S):
            while not store.reads:
                stalled = await edge.get(url)
            new = await edge.stitch(body)
            store.released.set()
            while (ready := await edge.get(url)).status != 200:
                pass

    assert redirected(stalled) == edge.origin.url("/show.m3u8")
    assert (new["filled_ms"], new["url"]) == (0, edge.origin.url("/show.m3u8"))
    assert b"/0/0.ts" in ready.body


async def test_the_sounds_of_a_playlist_are_read_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = HeldStore(monkeypatch)
    ads = [
        one
        for name, seconds in (("a", 4.0), ("b", 5.0), ("c", 6.0))
        for one in an_uploaded_ad(tmp_path, name, seconds=seconds)
    ]
    async with stitching_edge(tmp_path, *ads, wait_ms=50) as edge:
        edge.origin.files["/show.m3u8"] = MEDIA.encode()
        body = a_body(edge, "/show.m3u8", "hls", "hls")
        body["breaks"] = [{**BREAKS[0], "max_ads": 3}]
        async with asyncio.timeout(PATIENCE_S):
            while not store.reads:  # until then the content itself may be late
                stalled = await edge.stitch(body)
            held = {name for name, _ in store.reads}
            store.released.set()
            while not (ready := await edge.stitch(body))["filled_ms"]:
                pass

    assert (stalled["filled_ms"], len(held)) == (0, 3)
    assert ready["filled_ms"] == 15_000


@pytest.mark.parametrize(
    ("name", "start"),
    [
        pytest.param("/0/0.ts", b"\x47", id="segment: the sync byte of a transport stream"),
        pytest.param("/a0.m3u8", b"#EXTM3U", id="playlist"),
    ],
)
async def test_a_part_of_an_ad_in_a_stalled_store_is_absent_until_it_has_been_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, start: bytes
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/show.m3u8"] = MEDIA.encode()
        url = (await edge.stitch(a_body(edge, "/show.m3u8", "hls", "hls")))["url"]
        part = f"{url.partition('.m3u8')[0]}{name}"
        store = HeldStore(monkeypatch)
        audio = edge.edge.context.audio
        assert audio is not None
        forget_sounds(audio)
        audio.wait_s = WAIT_S
        async with asyncio.timeout(PATIENCE_S):
            stalled = await edge.get(part)
            store.released.set()
            while (ready := await edge.get(part)).status != 200:
                pass

    assert stalled.status == 404
    assert ready.body.startswith(start)


async def test_a_file_without_an_unreadable_ad_has_another_etag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(5)
        body = a_body(edge, "/episode.mp3", "progressive", "file")
        async with asyncio.timeout(PATIENCE_S):
            while not (made := await edge.stitch(body))["filled_ms"]:
                pass
        whole = await edge.get(made["url"], method="HEAD")
        audio = edge.edge.context.audio
        assert audio is not None
        with monkeypatch.context() as patch:
            patch.setattr(AssetFolder, "read", unreadable)
            forget_sounds(audio)
            without = await edge.get(made["url"])
        forget_sounds(audio)
        again = await edge.get(
            made["url"], "Range: bytes=9-", f"If-Range: {without.headers['etag']}"
        )

    assert len(without.body) < int(whole.headers["content-length"])
    assert without.headers["etag"] != whole.headers["etag"] == again.headers["etag"]
    assert again.status == 200, "the whole file, because the listener has another one"


@pytest.mark.parametrize(
    ("path", "kind", "output"),
    [("/show.m3u8", "hls", "hls"), ("/episode.mp3", "progressive", "file")],
)
async def test_a_campaign_that_is_paused_while_the_source_is_fetched_is_not_chosen(
    tmp_path: Path, path: str, kind: str, output: str
) -> None:
    campaign, ad = an_uploaded_ad(tmp_path, "a")
    async with stitching_edge(tmp_path, campaign, ad) as edge:
        edge.origin.files |= {"/show.m3u8": MEDIA.encode(), "/episode.mp3": an_mp3(5)}
        held = edge.origin.held[path] = asyncio.Event()
        answer = asyncio.create_task(edge.stitch(a_body(edge, path, kind, output)))

        async def is_requested() -> bool:
            return path in edge.origin.requested

        await until(is_requested)
        before = edge.edge.context.snapshots.current()
        paused = replace(campaign, status=CampaignStatus.PAUSED)
        edge.edge.adopt(a_later_snapshot(before, paused))
        held.set()

        assert (await answer)["filled_ms"] == 0


async def unreadable(_: AssetFolder, name: str, start: int, count: int) -> bytes:
    raise OSError(f"{name}: {start}, {count}")


def forget_sounds(audio: AudioParts) -> None:
    """As at a worker that has not read any."""
    audio.joined.clear()
    audio.sounds = Sounds(audio.sounds._assets, audio.sounds._fetcher)


class HeldStore:
    """Every folder of assets waits with its reads until ``released``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.released = asyncio.Event()
        self.reads: list[tuple[str, int]] = []
        read = AssetFolder.read

        async def held(folder: AssetFolder, name: str, start: int, count: int) -> bytes:
            self.reads.append((name, start))
            await self.released.wait()
            return await read(folder, name, start, count)

        monkeypatch.setattr(AssetFolder, "read", held)


def stall(edge: StitchingEdge, path: str) -> None:
    """From now on *path* is not answered, and a request waits `WAIT_S` for its source."""
    audio = edge.edge.context.audio
    assert audio is not None
    audio.wait_s = WAIT_S
    edge.origin.held[path] = asyncio.Event()
    edge.origin.requested = []


def redirected(answer: RawAnswer) -> str:
    assert answer.status == 302
    return answer.headers["location"]
