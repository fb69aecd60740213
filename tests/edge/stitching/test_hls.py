"""Playlists with ads in them: on demand and live, between discontinuities or as interstitials."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from common.service.rendition_pack import EXTENSION
from common.snapshot.model import SnapshotObject
from common.values.enums import EventKind
from edge.audio.playlist_lines import MAX_SEGMENTS
from tests.edge.stitching.stitching_edge import (
    ASSETS,
    StitchingEdge,
    a_sound_ad,
    an_uploaded_ad,
    stitching_edge,
)
from tests.support.sounds import an_uploaded_sound, decode
from tests.support.worker import events_of

TYPES = {"aac": "audio/aac", "mp3": "audio/mpeg"}
BREAKS: list[dict[str, Any]] = [
    {"id": "pre", "type": "pre"},
    {"id": "mid", "type": "mid", "offset_ms": 11_000},
    {"id": "post", "type": "post"},
]


def on_demand(*more: str, segments: int = 4) -> str:
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:6", *more]
    for number in range(segments):
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
        unknown.append(await edge.get(f"{base}/a3.m3u8"))

    assert [one.status for one in unknown] == [404] * 5
    assert answer["filled_ms"] == 21_000
    assert answer["content_type"] == "application/vnd.apple.mpegurl"
    assert shape_of(text) == [
        *("ad", "ad", "|", "s0.ts", "s1.ts", "|", "ad", "ad", "|", "s2.ts", "s3.ts"),
        *("|", "ad", "ad"),
    ]
    ours = {"#EXT-X-DISCONTINUITY", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:0"}
    own = [line for line in text.splitlines() if line not in ours]
    for ad in ads:
        place = own.index(ad)
        del own[place - 1 : place + 1]
    assert own == [
        line if line.startswith("#") else edge.origin.url(f"/{line}")
        for line in on_demand().splitlines()
        if line not in ours
    ]
    for one in answer["breaks"][0]["ads"]:
        assert (one["track_token"], one["impression_url"], one["tracking"]) == (None, None, None)
    assert EventKind.IMPRESSION not in first
    assert [event.kind for event in events].count(EventKind.IMPRESSION) == 1
    samples, warnings = decode(bodies[0] + bodies[1], "mpegts")
    assert warnings == []
    assert abs(samples - 7 * 44_100) <= 2 * 1024


@pytest.mark.parametrize(("codec", "frame"), [("aac", 1024), ("mp3", 1152)], ids=["aac", "mp3"])
async def test_ads_among_packed_segments_are_of_their_kind_and_state_their_time(
    tmp_path: Path, codec: str, frame: int
) -> None:
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().replace(".ts", f".{codec}").encode()
        answer = await edge.stitch(a_playlist(edge, breaks=BREAKS[:1]))
        text = await text_of(edge, answer["url"])
        lines = text.splitlines()
        ads = [number for number, line in enumerate(lines) if "/audio/sessions/" in line]
        answers = [await edge.get(lines[number]) for number in ads]
        events = await events_of(edge.edge.context)

    lengths_s = [float(lines[number - 1][8:-1]) for number in ads]
    bodies = [one.body for one in answers]
    samples = [decode(body, codec) for body in bodies]
    assert {one.headers["content-type"] for one in answers} == {TYPES[codec]}
    assert all(lines[number].endswith(f".{codec}") for number in ads)
    assert [body[:73].partition(b"Timestamp\0")[2] for body in bodies] == [
        bytes(8),
        int(lengths_s[0] * 90_000).to_bytes(8, "big"),
    ]
    assert [warnings for _, warnings in samples] == [[], []]
    for (count, _), length_s in zip(samples, lengths_s, strict=True):
        assert abs(count - length_s * 44_100) <= frame
    assert abs(sum(lengths_s) - 7) * 44_100 <= 2 * frame
    assert [event.kind for event in events].count(EventKind.IMPRESSION) == 1


async def test_two_breaks_at_one_border_both_play(tmp_path: Path) -> None:
    breaks = [BREAKS[0], {"id": "near", "type": "mid", "offset_ms": 2_000}]
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        answer = await edge.stitch(a_playlist(edge, breaks=breaks))
        text = await text_of(edge, answer["url"])

    assert answer["filled_ms"] == 14_000
    assert shape_of(text)[:7] == ["ad", "ad", "|", "ad", "ad", "|", "s0.ts"]


async def test_an_ad_without_renditions_leaves_its_break_empty_and_the_others_play(
    tmp_path: Path,
) -> None:
    short = an_uploaded_ad(tmp_path, "short")
    remove_packs(tmp_path)
    breaks = [BREAKS[0] | {"max_duration_ms": 5_000}, BREAKS[2] | {"max_duration_ms": 8_000}]
    async with stitching_edge(tmp_path, *short, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        answer = await edge.stitch(a_playlist(edge, breaks=breaks))
        text = await text_of(edge, answer["url"])
        nothing = await edge.stitch(a_playlist(edge, breaks=breaks[:1]))

    assert [one["duration_ms"] for one in answer["breaks"]] == [0, 7_000]
    assert answer["filled_ms"] == 7_000
    assert shape_of(text)[-3:] == ["|", "ad", "ad"]
    assert (nothing["filled_ms"], nothing["url"]) == (0, edge.origin.url("/show.m3u8"))


def remove_packs(folder: Path) -> None:
    for pack in folder.rglob(f"*.{EXTENSION}"):
        pack.unlink()


async def test_an_upload_of_more_than_two_minutes_leaves_the_break_to_a_shorter_one(
    tmp_path: Path,
) -> None:
    url = f"{ASSETS}/{an_uploaded_sound(tmp_path, 5)}"
    long = a_sound_ad("long", [(url, 120_001)], bid_cents=900)
    breaks = [BREAKS[0] | {"max_duration_ms": 180_000}]
    async with stitching_edge(tmp_path, *long, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand().encode()
        answer = await edge.stitch(a_playlist(edge, breaks=breaks))
        plan = await edge.stitch(a_playlist(edge, breaks=breaks, output="plan"))

    assert (answer["filled_ms"], plan["filled_ms"]) == (7_000, 120_001)


async def test_a_playlist_of_more_than_a_thousand_segments_gets_the_ads(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files["/show.m3u8"] = on_demand(segments=1001).encode()
        answer = await edge.stitch(a_playlist(edge))
        shape = shape_of(await text_of(edge, answer["url"]))

    assert (shape.count("ad"), shape[-4], len(shape)) == (6, "s1000.ts", 1011)


async def test_each_variant_gets_the_ads(tmp_path: Path) -> None:
    rendition = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",URI="de/a.m3u8",LANGUAGE="de"'
    included = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en"'
    stream = '#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2",AUDIO="a"'
    master = f"#EXTM3U\n{rendition}\n{included}\n{stream}\nlow/a.m3u8\n"
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files |= {
            "/show.m3u8": master.encode(),
            "/low/a.m3u8": on_demand().encode(),
            "/de/a.m3u8": on_demand().encode(),
        }
        answer = await edge.stitch(a_playlist(edge))
        lines = (await text_of(edge, answer["url"])).splitlines()
        base = answer["url"].partition(".m3u8")[0]
        texts = {name: await text_of(edge, f"{base}/{name}.m3u8") for name in ("v0", "v1")}

    assert lines == [
        "#EXTM3U",
        rendition.replace("de/a.m3u8", f"{base}/v0.m3u8"),
        included,
        stream,
        f"{base}/v1.m3u8",
    ]
    assert [shape_of(text).count("ad") for text in texts.values()] == [6, 6]
    assert edge.origin.url("/de/s0.ts") in texts["v0"]
    assert edge.origin.url("/low/s0.ts") in texts["v1"]


async def test_other_addresses_of_a_playlist_stay_those_of_the_content(tmp_path: Path) -> None:
    """Pictures for seeking, subtitles, steering, and the content's own interstitials get no ads."""
    others = [
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",URI="de.m3u8"',
        '#EXT-X-SESSION-DATA:DATA-ID="com.example.title",URI="/title.json"',
        '#EXT-X-CONTENT-STEERING:SERVER-URI="steer?v=1",PATHWAY-ID="a"',
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="seek/i.m3u8"',
    ]
    variant = ["#EXT-X-STREAM-INF:BANDWIDTH=64000", "low.m3u8"]
    own = 'DATERANGE:ID="own",X-ASSET-LIST="list.json",X-ASSET-URI="own.m3u8"'
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        media = on_demand().replace("#EXTINF", f"#EXT-X-{own}\n#EXTINF", 1)
        master = "\n".join(["#EXTM3U", *others, *variant])
        edge.origin.files |= {"/show.m3u8": master.encode(), "/low.m3u8": media.encode()}
        answer = await edge.stitch(a_playlist(edge))
        lines = (await text_of(edge, answer["url"])).splitlines()
        text = await text_of(edge, lines[-1])
        url = edge.origin.url

    assert lines == [
        "#EXTM3U",
        others[0].replace("de.m3u8", url("/de.m3u8")),
        others[1].replace("/title.json", url("/title.json")),
        others[2].replace("steer?v=1", url("/steer?v=1")),
        others[3].replace("seek/i.m3u8", url("/seek/i.m3u8")),
        variant[0],
        f"{answer['url'].partition('.m3u8')[0]}/v1.m3u8",
    ]
    assert f'X-ASSET-LIST="{url("/list.json")}",X-ASSET-URI="{url("/own.m3u8")}"' in text
    assert shape_of(text).count("ad") == 6


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
    assert all('CLASS="com.apple.hls.interstitial"' in line for line in ranges)
    dates = [line.partition('START-DATE="2020-01-01T00:00:')[2][:7] for line in ranges]
    assert dates == ["00.000Z", "12.000Z", "24.000Z"]
    assert [line.partition(",CUE=")[2] for line in ranges] == ['"PRE"', "", '"POST"']
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


async def test_breaks_of_live_variants_are_at_the_same_time_however_these_count(
    tmp_path: Path,
) -> None:
    """Their playlists are requested at once, as by a player that reads both."""
    stream = "#EXT-X-STREAM-INF:BANDWIDTH"
    master = f"#EXTM3U\n{stream}=1\na.m3u8\n{stream}=2\nb.m3u8\n"
    breaks = [{"id": "mid", "type": "mid", "offset_ms": 6_000}]
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files |= {
            "/show.m3u8": master.encode(),
            "/a.m3u8": live(10).encode(),
            "/b.m3u8": live(710).encode(),
        }
        base = (await edge.stitch(a_playlist(edge, breaks=breaks)))["url"].partition(".m3u8")[0]
        first = await asyncio.gather(*[text_of(edge, f"{base}/v{one}.m3u8") for one in (0, 1)])
        edge.edge.clock.advance(ms=6_000)
        edge.origin.files |= {"/a.m3u8": live(11).encode(), "/b.m3u8": live(711).encode()}
        later = [await text_of(edge, f"{base}/v{one}.m3u8") for one in (1, 0)]

    assert [shape_of(text) for text in first] == [
        [
            *(f"s{start + number}.ts" for number in range(3)),
            *("|", "ad", "ad", "|"),
            *(f"s{start + number}.ts" for number in (3, 4)),
        ]
        for start in (10, 710)
    ]
    assert [shape_of(text)[2:5] for text in later] == [["|", "ad", "ad"]] * 2


MASTER = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000\na.m3u8\n"
MALFORMED = {
    "an address that is no URL": on_demand().replace("s1.ts", "http://[bad/s1.ts"),
    "a section that is no URL": on_demand('#EXT-X-MAP:URI="http://[bad/init.mp4"'),
    "an infinite duration": on_demand().replace("6.000", "1e400", 1),
    "no number as duration": on_demand().replace("6.000", "nan", 1),
    "a negative duration": on_demand().replace("6.000", "-6", 1),
    "a sequence below 0": on_demand("#EXT-X-MEDIA-SEQUENCE:-1"),
    "a sequence of thousands of digits": on_demand(f"#EXT-X-MEDIA-SEQUENCE:{'9' * 5000}"),
    "a date out of range": on_demand("#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:58Z"),
    "a date before all dates": on_demand("#EXT-X-PROGRAM-DATE-TIME:0001-01-01T00:00:00+14:00"),
    "too many segments": "#EXTM3U\n" + "#EXTINF:2,\ns.ts\n" * (MAX_SEGMENTS + 1),
    "too many lines": "#EXTM3U\n" + "#\n" * 250_000 + "#EXTINF:2,\ns.ts\n",
    "a variant that is no URL": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://[bad/a.m3u8\n",
    "a rendition that is no URL": '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,URI="http://[bad/a.m3u8"\n',
    "subtitles that are no URL": MASTER + '#EXT-X-MEDIA:TYPE=SUBTITLES,URI="http://[bad/s.m3u8"\n',
    "too many variants": "#EXTM3U\n" + "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n" * 201,
}


async def test_a_malformed_playlist_is_the_original(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_ad(tmp_path)) as edge:
        edge.origin.files |= {"/a.m3u8": on_demand().encode(), "/show.m3u8": on_demand().encode()}
        markers = ("discontinuity", "interstitial")
        urls = [(await edge.stitch(a_playlist(edge, ad_markers=one)))["url"] for one in markers]
        edge.origin.files["/show.m3u8"] = MASTER.encode()
        variant = f"{(await edge.stitch(a_playlist(edge)))['url'].partition('.m3u8')[0]}/v0.m3u8"
        found = {}
        for name, text in MALFORMED.items():
            edge.origin.files["/show.m3u8"] = text.encode()
            made = [await edge.stitch(a_playlist(edge, ad_markers=one)) for one in markers]
            played = [await edge.get(url) for url in (*urls, variant)]
            found[name] = [one["filled_ms"] for one in made], [one.status for one in played]

    assert found == dict.fromkeys(MALFORMED, ([0, 0], [302, 302, 302]))


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
