"""Content on disk, which the workers of a machine share; its loudness, and ads that follow it."""

import asyncio
import io
import threading
from ipaddress import ip_network
from pathlib import Path

import pytest

from common.fetching.guarded_fetcher import FetchBudget, GuardedFetcher
from common.fetching.system_resolver import SystemResolver
from common.values.clock import FixedClock
from control.demand.media_inspection.streams import inspect_stream
from edge.audio import contents
from edge.audio.contents import FRESH_MS, ContentCache
from edge.audio.join import Frames
from edge.audio.loudness import measure_loudness
from edge.audio.mp3 import Mp3Shape, id3_bytes
from edge.audio.sounds import Sounds
from edge.state.asset_folder import AssetFolder
from tests.edge.stitching.stitching_edge import ASSETS, an_origin
from tests.support.builders import NOW_MS
from tests.support.sounds import an_mp3, an_uploaded_sound
from tests.support.waiting import PATIENCE_S, until

LOOPBACK = FetchBudget(networks=(ip_network("127.0.0.0/8"),))


def fetcher() -> GuardedFetcher:
    return GuardedFetcher(SystemResolver(), user_agent="test", allowance=LOOPBACK)


def a_cache(folder: Path, clock: FixedClock, *, max_bytes: int = 1 << 30) -> ContentCache:
    return ContentCache(folder, fetcher(), clock, max_bytes=max_bytes, max_file_bytes=max_bytes)


async def test_another_worker_uses_what_one_has_fetched(tmp_path: Path) -> None:
    clock = FixedClock(NOW_MS)
    one, other = a_cache(tmp_path, clock), a_cache(tmp_path, clock)
    async with an_origin() as origin:
        origin.files["/a.mp3"] = an_mp3(20)
        found = [
            await cache.find(origin.url("/a.mp3"), "property", wait_s=PATIENCE_S)
            for cache in (one, other)
        ]
        requested = len(origin.requested)
        clock.advance(ms=FRESH_MS)
        origin.files["/a.mp3"] = an_mp3(21)
        changed = await other.find(origin.url("/a.mp3"), "property", wait_s=PATIENCE_S)
    await one.close()
    await other.close()

    assert found[0] == found[1]
    assert found[0] is not None
    assert changed is not None
    assert changed.digest != found[0].digest
    assert requested == 1


async def test_files_that_are_being_indexed_hold_nothing_else_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, released = FixedClock(NOW_MS), threading.Event()
    one, other = a_cache(tmp_path, clock), a_cache(tmp_path, clock)
    find_frames = contents._find_frames

    def held(path: Path) -> Frames | None:
        released.wait()
        return find_frames(path)

    async with an_origin() as origin:
        names = ("a", "b", "c")
        urls = [origin.url(f"/{name}.mp3") for name in names]
        origin.files = {f"/{name}.mp3": an_mp3(5 + at) for at, name in enumerate(names)}
        for url in urls:
            assert await one.find(url, "property", wait_s=PATIENCE_S) is not None
        assert await other.find(urls[2], "property", wait_s=PATIENCE_S) is not None
        monkeypatch.setattr(contents, "_find_frames", held)
        try:
            async with asyncio.timeout(PATIENCE_S):
                late = [await other.find(url, "property", wait_s=0.01) for url in urls[:2]]
                ready = await other.find(urls[2], "property", wait_s=PATIENCE_S)
        finally:
            released.set()
        found = [await other.find(url, "property", wait_s=PATIENCE_S) for url in urls[:2]]
        requested = len(origin.requested)
    await one.close()
    await other.close()

    assert late == [None, None]
    assert ready is not None
    assert None not in found
    assert requested == 3


async def test_the_folder_has_a_bound(tmp_path: Path) -> None:
    cache = a_cache(tmp_path, FixedClock(NOW_MS), max_bytes=len(an_mp3(20)) + 1000)
    async with an_origin() as origin:
        origin.files |= {"/a.mp3": an_mp3(20), "/b.mp3": an_mp3(5), "/c.mp3": an_mp3(21)}
        found = {
            name: await cache.find(origin.url(f"/{name}.mp3"), "property", wait_s=PATIENCE_S)
            for name in "abc"
        }
    await cache.close()

    assert found["c"] is None  # longer than one file may be
    assert found["b"] is not None
    assert found["a"] is not None
    assert (found["b"].path.exists(), found["a"].path.exists()) == (True, False)


async def test_stalled_sources_of_one_property_leave_room_for_another(tmp_path: Path) -> None:
    cache = a_cache(tmp_path, FixedClock(NOW_MS))
    async with an_origin() as origin:
        origin.files |= {"/late.mp3": an_mp3(5), "/b.mp3": an_mp3(20)}
        for number in range(30):
            origin.held[f"/{number}.mp3"] = asyncio.Event()
            await cache.find(origin.url(f"/{number}.mp3"), "stalled", wait_s=0)
        of_the_same = await cache.find(origin.url("/late.mp3"), "stalled", wait_s=PATIENCE_S)
        of_another = await cache.find(origin.url("/b.mp3"), "another", wait_s=PATIENCE_S)
        for event in origin.held.values():
            event.set()

        async def has_room() -> bool:
            return (
                await cache.find(origin.url("/late.mp3"), "stalled", wait_s=PATIENCE_S) is not None
            )

        await until(has_room)
    await cache.close()

    assert of_the_same is None
    assert of_another is not None


async def test_what_another_worker_has_fetched_is_there_while_sources_stall(tmp_path: Path) -> None:
    clock = FixedClock(NOW_MS)
    one, other = a_cache(tmp_path, clock), a_cache(tmp_path, clock)
    async with an_origin() as origin:
        origin.files["/a.mp3"] = an_mp3(20)
        fetched = await one.find(origin.url("/a.mp3"), "property", wait_s=PATIENCE_S)
        for number in range(30):
            origin.held[f"/{number}.mp3"] = asyncio.Event()
            await other.find(origin.url(f"/{number}.mp3"), "property", wait_s=0)
        found = await other.find(origin.url("/a.mp3"), "property", wait_s=PATIENCE_S)
        stalled = [*other._fetches.values()]
        for event in origin.held.values():
            event.set()
        await asyncio.wait(stalled)
    await one.close()
    await other.close()

    assert found == fetched
    assert found is not None
    assert len(stalled) >= 8


@pytest.mark.parametrize("wanted_lufs", [-22.0, -16.0, -12.0])
async def test_an_ad_is_as_loud_as_the_content(tmp_path: Path, wanted_lufs: float) -> None:
    url = f"{ASSETS}/{an_uploaded_sound(tmp_path, 5.0)}"
    sounds = Sounds(AssetFolder(tmp_path), fetcher())
    sound = await sounds.find(url)
    assert sound is not None
    mp3 = await sounds.mp3_at(sound, Mp3Shape(44_100, 2), wanted_lufs)
    aac = await sounds.adts_at(sound, 44_100, 2, wanted_lufs)

    for body, form, within in ((mp3, "mp3", 1.2), (aac, "aac", 2.5)):
        assert body is not None
        facts = inspect_stream(io.BytesIO(body), form, "audio")
        assert facts["media"]["loudness_lufs"] == pytest.approx(wanted_lufs, abs=within)


async def test_loudness_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    sound, text = tmp_path / "sound", tmp_path / "text"
    sound.write_bytes(an_mp3(20))
    text.write_bytes(b"no sound" * 1000)
    expected = inspect_stream(io.BytesIO(an_mp3(20)), "mp3", "audio")["media"]["loudness_lufs"]

    assert await measure_loudness(sound) == pytest.approx(expected, abs=0.2)
    assert await measure_loudness(text) is None


def test_the_length_of_a_tag_is_four_times_seven_bits() -> None:
    """ID3v2.4, section 6.2."""
    assert (
        id3_bytes(b"ID3\x04\x00\x00\x01\x02\x03\x04") == 10 + (1 << 21) + (2 << 14) + (3 << 7) + 4
    )
