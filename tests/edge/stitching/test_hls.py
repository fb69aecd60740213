"""Playlists with ads in them: on demand and live, between discontinuities or as interstitials."""

from pathlib import Path
from typing import Any

from common.snapshot.model import SnapshotObject
from common.values.enums import EventKind
from tests.edge.stitching.stitching_edge import StitchingEdge, an_uploaded_ad, stitching_edge
from tests.support.sounds import decode
from tests.support.worker import events_of

BREAKS = [
    {"id": "pre", "type": "pre"},
    {"id": "mid", "type": "mid", "offset_ms": 11_000},
    {"id": "post", "type": "post"},
]


def on_demand(*more: str) -> str:
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:6", *more]
    for number in range(4):
        lines += ["#EXTINF:6.000,", f"s{number}.ts"]
    return "\n".join([*lines, "#EXT-X-ENDLIST"]) + "\n"


def live(first: int) -> str:
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
    for number in range(first, first + 5):
        lines += ["#EXTINF:6.000,", f"s{number}.ts"]
    return "\n".join(lines) + "\n"


def a_playlist(edge: StitchingEdge, **changes: Any) -> dict[str, Any]:
    content = {"url": edge.origin.url("/show.m3u8"), "kind": "hls"}
    return {"slot": "podcast", "breaks": BREAKS, "content": content, "output": "hls", **changes}


def an_ad(folder: Path, seconds: float = 7.0) -> tuple[SnapshotObject, ...]:
    return an_uploaded_ad(folder, "a", seconds=seconds)


async def text_of(edge: StitchingEdge, url: str) -> str:
    answer = await edge.get(url)
    assert answer.status == 200, answer
    assert answer.headers["content-type"].startswith("application/vnd.apple.mpegurl")
    return answer.body.decode()


def shape_of(text: str) -> list[str]:
    """The order of the segments: ``|`` a discontinuity, ``ad``, or the content's own name."""
    return [
        "|"
        if line == "#EXT-X-DISCONTINUITY"
        else "ad"
        if "/audio/sessions/" in line
        else line.rpartition("/")[2]
        for line in text.splitlines()
        if line == "#EXT-X-DISCONTINUITY" or not line.startswith("#")
    ]


async def test_ads_stand_between_discontinuities_and_count_when_all_segments_were_sent(
    tmp_path: Path,
) -> None:
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        answer = await edge.stitch(a_playlist(edge))
        text = await text_of(edge, answer["url"])
        ads = [line for line in text.splitlines() if "/audio/sessions/" in line]
        bodies = [(await edge.get(ads[0])).body]
        first = [event.kind for event in await events_of(edge.edge.context)]
        bodies += [(await edge.get(ads[1])).body, (await edge.get(ads[1])).body]
        events = await events_of(edge.edge.context)
        base = answer["url"].partition(".m3u8")[0]
        unknown = [await edge.get(f"{base}/{ad}/0.ts") for ad in ("9", "9" * 5000, "-1", "%C2%B2")]

    assert [one.status for one in unknown] == [404] * 4
    assert (answer["filled_ms"], answer["content_type"]) == (
        21_000,
        "application/vnd.apple.mpegurl",
    )
    assert shape_of(text) == [
        *("ad", "ad", "|", "s0.ts", "s1.ts", "|", "ad", "ad", "|", "s2.ts", "s3.ts"),
        *("|", "ad", "ad"),
    ]
    assert edge.origin.url("/s2.ts") in text
    assert EventKind.IMPRESSION not in first
    assert [event.kind for event in events].count(EventKind.IMPRESSION) == 1
    samples, warnings = decode(bodies[0] + bodies[1], "mpegts")
    assert warnings == []
    assert abs(samples - 7 * 44_100) <= 2 * 1024


async def test_two_breaks_at_one_border_both_play(tmp_path: Path) -> None:
    breaks = [BREAKS[0], {"id": "near", "type": "mid", "offset_ms": 2_000}]
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        answer = await edge.stitch(a_playlist(edge, breaks=breaks))
        text = await text_of(edge, answer["url"])

    assert answer["filled_ms"] == 14_000
    assert shape_of(text)[:7] == ["ad", "ad", "|", "ad", "ad", "|", "s0.ts"]


async def test_each_variant_gets_the_ads(tmp_path: Path) -> None:
    master = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"\nlow/a.m3u8\n'
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files |= {"/show.m3u8": master.encode(), "/low/a.m3u8": on_demand().encode()}
        answer = await edge.stitch(a_playlist(edge))
        variants = await text_of(edge, answer["url"])
        text = await text_of(edge, variants.splitlines()[-1])

    assert variants.splitlines()[:2] == master.splitlines()[:2]
    assert shape_of(text).count("ad") == 6
    assert edge.origin.url("/low/s0.ts") in text


async def test_interstitials_are_date_ranges_with_a_playlist_of_each_ad(tmp_path: Path) -> None:
    content = on_demand('#EXT-X-MAP:URI="init.mp4"')
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = content.encode()
        plain = await edge.stitch(a_playlist(edge))
        answer = await edge.stitch(a_playlist(edge, ad_markers="interstitial"))
        text = await text_of(edge, answer["url"])
        ranges = [line for line in text.splitlines() if line.startswith("#EXT-X-DATERANGE")]
        asset = ranges[1].partition('X-ASSET-URI="')[2].partition('"')[0]
        alone = await text_of(edge, asset)

    assert plain["filled_ms"] == 0  # an initialization section cannot be taken back for an ad
    assert shape_of(text) == ["s0.ts", "s1.ts", "s2.ts", "s3.ts"]
    assert len(ranges) == 3
    assert all('CLASS="com.apple.hls.interstitial"' in line for line in ranges)
    assert 'START-DATE="2020-01-01T00:00:12.000Z"' in ranges[1]
    assert [shape_of(alone), alone.count("#EXT-X-ENDLIST")] == [["ad", "ad"], 1]


async def test_a_live_playlist_keeps_its_ads_in_place_while_it_moves_on(tmp_path: Path) -> None:
    breaks = [BREAKS[0], {"id": "mid", "type": "mid", "offset_ms": 20_000}, BREAKS[2]]
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = live(10).encode()
        answer = await edge.stitch(a_playlist(edge, breaks=breaks))
        url = answer["url"]
        texts = []
        for first in (10, 12, 16):
            edge.origin.files["/show.m3u8"] = live(first).encode()
            texts.append(await text_of(edge, url))

    assert [one["duration_ms"] for one in answer["breaks"]] == [7_000, 7_000, 0]
    names = [[name.removesuffix(".ts") for name in shape_of(text)] for text in texts]
    assert names[0] == ["s10", "s11", "|", "ad", "ad", "|", "s12", "s13", "s14"]
    assert names[1] == [
        "|",
        "ad",
        "ad",
        "|",
        "s12",
        "s13",
        "s14",
        "s15",
        "|",
        "ad",
        "ad",
        "|",
        "s16",
    ]
    assert names[2] == ["|", "ad", "ad", "|", "s16", "s17", "s18", "s19", "s20"]
    for sequence, text in zip((10, 12, 18), texts, strict=True):
        assert f"#EXT-X-MEDIA-SEQUENCE:{sequence}\n" in text
    assert "#EXT-X-DISCONTINUITY-SEQUENCE:2" in texts[2]
    assert not any("#EXT-X-ENDLIST" in text for text in texts)


async def test_encrypted_or_absent_content_is_the_original(tmp_path: Path) -> None:
    encrypted = on_demand('#EXT-X-KEY:METHOD=AES-128,URI="key"')
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        absent = await edge.stitch(a_playlist(edge))
        edge.origin.files["/show.m3u8"] = encrypted.encode()
        answer = await edge.stitch(a_playlist(edge))
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        url = (await edge.stitch(a_playlist(edge)))["url"]
        edge.origin.files["/show.m3u8"] = encrypted.encode()
        later = await edge.get(url)

    original = edge.origin.url("/show.m3u8")
    for one in (absent, answer):
        assert (one["filled_ms"], one["url"]) == (0, original)
    assert (later.status, later.headers["location"]) == (302, original)
