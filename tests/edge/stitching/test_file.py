"""Files with ads in them: decodable without a fault, the content's frames untouched."""

import asyncio
import io
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from control.demand.media_inspection.streams import inspect_stream
from edge.audio.join import JoinedFile
from edge.audio.mp3 import find_frames
from tests.edge.stitching.stitching_edge import (
    StitchingEdge,
    a_file,
    an_uploaded_ad,
    names_of,
    stitching_edge,
)
from tests.support.sounds import BARE, VBR, an_adts, an_mp3, decode
from tests.support.waiting import PATIENCE_S

AAC_FRAME = 1024
CONTENT = {  # made when a test asks: encoding would slow every collection
    "constant bitrate": partial(an_mp3, 20),
    "variable bitrate": partial(an_mp3, 20, options=VBR),
    "no header frame": partial(an_mp3, 20, muxer=BARE),
    "one channel, 48 kHz": partial(an_mp3, 20, rate=48_000, layout="mono"),
    "one channel, 22.05 kHz": partial(an_mp3, 20, rate=22_050, layout="mono"),
    "two channels, 24 kHz, variable bitrate": partial(an_mp3, 20, rate=24_000, options=VBR),
}


@pytest.mark.parametrize("name", CONTENT)
async def test_an_mp3_with_ads_decodes_gapless_and_its_frames_are_untouched(
    tmp_path: Path, name: str
) -> None:
    content = CONTENT[name]()
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = content
        answer = await edge.stitch(a_file(edge))
        joined = (await edge.get(answer["url"])).body
        ads = sounds_of_ads(edge)

    assert answer["filled_ms"] == 15_000
    assert answer["content_type"] == "audio/mpeg"
    frames = find_frames(content)
    assert frames is not None
    samples, warnings = decode(joined, "mp3")
    alone, _ = decode(content, "mp3")
    frame = frames.shape.samples_per_frame
    assert warnings == []
    # one break may have a bridge
    assert 0 <= samples - alone - sum(decode(ad, "mp3")[0] for ad in ads) <= frame
    for ad in ads:
        assert 0 <= decode(ad, "mp3")[0] - 5 * frames.shape.sample_rate_hz <= 1105 + frame
    assert_holds(joined, content, [frames.offsets[0], frames.offsets[-1]], ads=3)


def sounds_of_ads(edge: StitchingEdge) -> list[bytes]:
    """The sounds of the ads of the only session, in their order."""
    audio = edge.edge.context.audio
    assert audio is not None
    [key] = [name for name in names_of(audio.sessions) if ":" not in name]
    joined: JoinedFile = audio.joined.get(key)
    ads = [part.body for part in joined.parts if part.ad is not None and part.body is not None]
    assert len(ads) == 3
    return ads


async def test_a_listener_whom_the_server_counts_gets_nothing_to_count_by(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        answer = await edge.stitch(a_file(edge))
        plan = await edge.stitch(a_file(edge, output="plan"))

    names = ("track_token", "impression_url", "tracking")
    for counted, planned in zip(answer["breaks"], plan["breaks"], strict=True):
        [ad], [other] = counted["ads"], planned["ads"]
        assert [ad[name] for name in names] == [None, None, None]
        assert all(other[name] for name in names)


@pytest.mark.parametrize(
    ("path", "lufs", "within"),
    [
        ("/episode.mp3", -22.0, 1.2),
        ("/episode.mp3", -12.0, 1.2),
        ("/episode.aac", -22.0, 2.5),
        ("/episode.aac", -12.0, 2.5),
    ],
    ids=["quiet MP3", "loud MP3", "quiet AAC", "loud AAC"],
)
async def test_an_ad_in_a_file_is_as_loud_as_the_content(
    tmp_path: Path, path: str, lufs: float, within: float
) -> None:
    content = an_mp3(20) if path.endswith("mp3") else an_adts(20)
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files[path] = content
        measured(edge, content, lufs)
        answer = await edge.stitch(a_file(edge, path))
        joined = (await edge.get(answer["url"])).body
        ads = sounds_of_ads(edge)

    for ad in ads:
        facts = inspect_stream(io.BytesIO(ad), path[-3:], "audio")
        assert facts["media"]["loudness_lufs"] == pytest.approx(lufs, abs=within)
        assert ad in joined


def measured(edge: StitchingEdge, content: bytes, lufs: float) -> None:
    """As after an earlier listener: the loudness of content is measured behind its first fetch."""
    audio = edge.edge.context.audio
    assert audio is not None
    folder = audio.contents._folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{sha256(content).hexdigest()}.lufs").write_text(str(lufs))


def assert_holds(joined: bytes, content: bytes, sound: list[int], *, ads: int) -> None:
    """All frames of the content stand in *joined*, in their order, in at most *ads* + 1 unbroken runs."""
    rest, runs, at = content[sound[0] : sound[1]], 0, 0
    while rest:
        size = 64
        at = joined.find(rest[:size], at)
        assert at >= 0
        same = next(
            (n for n, (a, b) in enumerate(zip(rest, joined[at:], strict=False)) if a != b),
            min(len(rest), len(joined) - at),
        )
        rest, at, runs = rest[same:], at + same, runs + 1
    assert runs <= ads + 1


async def test_a_silent_ad_takes_its_time(tmp_path: Path) -> None:
    silent = an_uploaded_ad(tmp_path, "a", is_silent=True)
    async with stitching_edge(tmp_path, *silent) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        answer = await edge.stitch(a_file(edge))
        joined = (await edge.get(answer["url"])).body

    samples, warnings = decode(joined, "mp3")
    assert (answer["filled_ms"], warnings) == (15_000, [])
    assert samples >= 35 * 44_100


async def test_tags_around_the_sound_are_kept(tmp_path: Path) -> None:
    tag = b"ID3\x04\x00\x00\x00\x00\x02\x00" + b"TIT2\x00\x00\x00\x08\x00\x00\x03Episode".ljust(
        256, b"\x00"
    )
    trailer = b"TAG" + b"Episode".ljust(125, b"\x00")
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = tag + CONTENT["no header frame"]() + trailer
        answer = await edge.stitch(a_file(edge))
        joined = (await edge.get(answer["url"])).body

    assert answer["filled_ms"] == 15_000
    assert joined.startswith(tag)
    assert joined.endswith(trailer)
    assert joined.count(b"Episode") == 2
    assert decode(joined, "mp3")[1] == []


async def test_a_break_that_no_bridge_can_leave_moves_to_the_nearest_frame_that_needs_none(
    tmp_path: Path,
) -> None:
    """The first frames refer to bytes that were cut off, so sound can be resumed at the start alone."""
    whole = an_mp3(20, options=VBR, muxer=BARE)
    frames = find_frames(whole)
    assert frames is not None
    content = whole[frames.offsets[1] :]
    near = [{"id": "mid", "type": "mid", "offset_ms": 60}]
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = content
        answer = await edge.stitch(a_file(edge, breaks=near))
        joined = (await edge.get(answer["url"])).body

    assert answer["filled_ms"] == 5_000
    assert joined.endswith(content)


async def test_an_aac_file_is_joined_at_frame_borders(tmp_path: Path) -> None:
    content = an_adts(20)
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.aac"] = content
        answer = await edge.stitch(a_file(edge, "/episode.aac"))
        joined = (await edge.get(answer["url"])).body
        ads = sounds_of_ads(edge)

    samples, warnings = decode(joined, "aac")
    alone, _ = decode(content, "aac")
    assert (answer["filled_ms"], answer["content_type"], warnings) == (15_000, "audio/aac", [])
    assert abs(samples - alone - sum(decode(ad, "aac")[0] for ad in ads)) <= AAC_FRAME
    for ad in ads:
        assert 0 <= decode(ad, "aac")[0] - 5 * 44_100 <= 2 * AAC_FRAME
    assert_holds(joined, content, [0, len(content)], ads=3)


WRONG = {
    "an M4A": partial(bytes, b"\0\0\0\x18ftypM4A \0\0\0\0" + bytes(4000)),
    "text": partial(bytes, b"<html>not found</html>" * 100),
    "another rate": partial(an_mp3, 5, rate=32_000),
    "speech in AAC, perhaps HE-AAC": partial(an_adts, 5, rate=24_000),
}


@pytest.mark.parametrize("name", WRONG)
async def test_content_that_cannot_be_joined_is_the_original(tmp_path: Path, name: str) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = WRONG[name]()
        answer = await edge.stitch(a_file(edge))
        counted = edge.edge.counted()

    assert (answer["filled_ms"], answer["url"]) == (0, edge.origin.url("/episode.mp3"))
    assert [one["ads"] for one in answer["breaks"]] == [[], [], []]
    assert counted == {}


async def test_a_slow_or_absent_source_is_the_original_and_the_next_listener_gets_ads(
    tmp_path: Path,
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a"), wait_ms=50) as edge:
        absent = await edge.stitch(a_file(edge, "/absent.mp3"))
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        held = edge.origin.held["/episode.mp3"] = asyncio.Event()
        slow = await edge.stitch(a_file(edge))
        held.set()
        async with asyncio.timeout(PATIENCE_S):
            while not (ready := await edge.stitch(a_file(edge)))["filled_ms"]:
                pass

    assert (absent["filled_ms"], slow["filled_ms"], ready["filled_ms"]) == (0, 0, 15_000)
    assert slow["url"] == edge.origin.url("/episode.mp3")
    assert edge.origin.requested.count("/episode.mp3") == 1


async def test_content_that_changed_or_a_session_that_was_lost_leads_to_the_original(
    tmp_path: Path,
) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        url = (await edge.stitch(a_file(edge)))["url"]
        edge.origin.files["/episode.mp3"] = an_mp3(21)
        edge.edge.clock.advance(ms=31_000)
        changed = await edge.get(url)
        edge.edge.clock.advance(ms=90_000_000)
        lost = await edge.get(url)
        forged = [
            await edge.get(url.replace("?content=", "?content=A")),
            await edge.get(f"{url.partition('?')[0]}?content=QQ.%C3%A9"),
            await edge.get(f"{url.partition('?')[0]}?content=%F0%9F%98%80.%ED%A0%80"),
        ]

    original = edge.origin.url("/episode.mp3")
    assert [(one.status, one.headers.get("location")) for one in (changed, lost)] == [
        (302, original),
        (302, original),
    ]
    assert [one.status for one in forged] == [404, 404, 404]


async def test_content_may_be_at_localhost_where_loopback_is_allowed(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        edge.origin.files["/episode.mp3"] = an_mp3(20)
        url = edge.origin.url("/episode.mp3").replace("127.0.0.1", "localhost")
        body = a_file(edge, content={"url": url, "kind": "progressive"})
        filled = {
            output: (await edge.stitch(body | {"output": output}))["filled_ms"]
            for output in ("plan", "vast", "file")
        }

    assert filled == dict.fromkeys(("plan", "vast", "file"), 15_000)


async def test_private_addresses_are_not_fetched(tmp_path: Path) -> None:
    """The edge of these tests may fetch from loopback, and from nowhere else that is private."""
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a")) as edge:
        for url in (
            "http://10.0.0.1/a.mp3",
            "http://[::1]/a.mp3",
            "http://metadata.internal/a.mp3",
        ):
            answer = await edge.post(a_file(edge, content={"url": url, "kind": "progressive"}))
            assert (answer.status, answer.json["error"]["param"]) == (422, "content.url")
