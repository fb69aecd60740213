"""Inspects untrusted files: good ones come out clean, bad ones are refused, and none stops the process."""

import io
import random
import struct
import tempfile
import zlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageStat, PngImagePlugin

from common.service.rendition_pack import HEAD_BYTES, index_bytes, parse_index
from common.values.enums import AssetKind
from control.demand.assets.inspection import Accepted, Finding, Inspector, Rejected
from control.demand.assets.sniff import sniff
from control.demand.media_inspection.small_pictures import POSTER, THUMBNAIL
from control.demand.media_inspection.streams import inspect_stream
from tests.control.demand.assets.files import (
    HTML,
    a_film,
    a_film_taken_sideways,
    a_sound,
    an_animation,
    an_image,
)

GOOD = {  # made when a test asks: encoding would slow every collection
    "png": partial(an_image, "PNG", (200, 150)),
    "jpeg": partial(an_image, "JPEG", (200, 150)),
    "gif": partial(an_image, "GIF", (200, 150)),
    "webp": partial(an_image, "WEBP", (200, 150)),
    "avif": partial(an_image, "AVIF", (200, 150)),
    "animation": partial(an_animation, "GIF", 6),
    "mp3": partial(a_sound, seconds=2),
    "wav": partial(a_sound, "wav", "pcm_s16le", seconds=2),
    "m4a": partial(a_sound, "ipod", "aac", seconds=2),
    "ogg": partial(a_sound, "ogg", "libopus", seconds=2),
    "mp4": partial(a_film, seconds=2),
    "webm": partial(a_film, "webm", "libvpx", "libopus", seconds=2),
}


async def look_and_read(
    content: bytes, kind: AssetKind | None = None, **limits: Any
) -> tuple[Finding, bytes]:
    """The finding, and the bytes that would be served."""
    found = sniff(content[:4096])
    assert found is not None
    with tempfile.TemporaryFile() as file:
        file.write(content)
        finding = await Inspector(**limits).inspect(file, found, kind or found.kind)
        if not isinstance(finding, Accepted):
            return finding, b""
        served = finding.file.read()
        if finding.renditions is not None:
            finding.renditions.close()
        if finding.file is not file:
            finding.file.close()
        return finding, served


async def look(content: bytes, kind: AssetKind | None = None, **limits: Any) -> Finding:
    return (await look_and_read(content, kind, **limits))[0]


async def served(content: bytes) -> Image.Image:
    """The image as it would be served."""
    finding, clean = await look_and_read(content)
    assert isinstance(finding, Accepted), finding
    return Image.open(io.BytesIO(clean))


async def reason(content: bytes, kind: AssetKind | None = None, **limits: Any) -> str:
    finding = await look(content, kind, **limits)
    assert isinstance(finding, Rejected), finding
    return finding.reason


@pytest.mark.parametrize("name", GOOD)
async def test_a_good_file_is_accepted(name: str) -> None:
    finding = await look(GOOD[name]())

    assert isinstance(finding, Accepted)
    is_video = name in ("mp4", "webm")
    assert (finding.thumbnail is not None) is (finding.width is not None)
    assert (finding.poster is not None) is is_video
    for picture, size in ((finding.thumbnail, THUMBNAIL), (finding.poster, POSTER)):
        if picture is not None:
            small = Image.open(io.BytesIO(picture), formats=["WEBP"])
            assert small.width <= size[0]
            assert small.height <= size[1]


async def test_the_picture_of_a_video_is_upright_and_shows_something() -> None:
    finding = await look(a_film_taken_sideways())

    assert isinstance(finding, Accepted)
    assert finding.poster is not None
    poster = Image.open(io.BytesIO(finding.poster)).convert("L")
    assert poster.width < poster.height
    top, bottom = (
        poster.crop((0, 0, poster.width, 8)),
        poster.crop((0, poster.height - 8, *poster.size)),
    )
    assert ImageStat.Stat(top).mean[0] > 200
    assert ImageStat.Stat(bottom).mean[0] < 50


@pytest.mark.parametrize("name", GOOD)
async def test_a_file_cut_in_the_middle_is_rejected(name: str) -> None:
    whole = GOOD[name]()
    assert await reason(whole[: len(whole) // 2])


async def test_nothing_but_pixels_is_kept() -> None:
    exif = Image.Exif()
    exif[0x010E], exif[0x8298] = "taken at home", "somebody"
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "somebody")
    for content in (
        an_image("JPEG", exif=exif, comment=b"somebody"),
        an_image("PNG", exif=exif, pnginfo=texts),
        an_image("WEBP", exif=exif, xmp=b"<x>somebody</x>"),
        an_image("AVIF", exif=exif),
        an_image("GIF", comment=b"somebody"),
    ):
        _, clean = await look_and_read(content)
        shown = Image.open(io.BytesIO(clean))
        assert b"somebody" in content or shown.format == "AVIF"
        assert not shown.getexif()
        assert not {"comment", "xmp", "Author", "icc_profile"} & shown.info.keys(), shown.format
        assert b"somebody" not in clean


async def test_data_after_the_end_of_an_image_is_dropped() -> None:
    polyglot = GOOD["png"]() + b"<script>alert(1)</script>PK\x03\x04"

    finding, clean = await look_and_read(polyglot)

    assert isinstance(finding, Accepted)
    assert b"<script>" not in clean


async def test_an_image_is_rotated_by_its_exif_orientation() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6

    for form in ("JPEG", "PNG", "WEBP"):
        shown = await served(an_image(form, (40, 20), exif=exif))
        assert shown.size == (20, 40)


async def test_colours_come_to_srgb() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    shown = await served(an_image("JPEG", icc_profile=profile))
    assert "icc_profile" not in shown.info

    target = io.BytesIO()
    Image.new("CMYK", (20, 20), (0, 255, 255, 0)).save(target, "JPEG")
    red = (await served(target.getvalue())).convert("RGB").getpixel((5, 5))
    assert isinstance(red, tuple)
    assert red[0] > 200
    assert max(red[1:]) < 60


async def test_transparency_is_kept() -> None:
    for form in ("PNG", "WEBP", "GIF"):
        target = io.BytesIO()
        Image.new("RGBA", (20, 20), (255, 0, 0, 0)).save(target, form)
        shown = (await served(target.getvalue())).convert("RGBA")
        assert shown.getpixel((5, 5))[3] == 0  # type: ignore[index]  # RGBA


async def test_a_jpeg_keeps_its_quality() -> None:
    content = an_image("JPEG", (200, 150), quality=60)

    finding = await look(content)

    assert isinstance(finding, Accepted)
    assert abs(finding.size_bytes - len(content)) < len(content) // 10


async def test_a_bomb_of_pixels_is_rejected_by_its_head() -> None:
    assert "million pixels" in await reason(_png(20_000, 20_000, b""))
    assert "million pixels" in await reason(_png(7_100, 7_100, b""))
    assert "One side of the image" in await reason(_png(40_000, 1, b""))


async def test_a_bomb_of_compression_goes_no_further_than_its_pixels() -> None:
    rows = zlib.compress(bytes(300_000_000), 9)

    finding = await look(_png(100, 100, rows))

    assert isinstance(finding, Accepted)
    assert finding.size_bytes < 1000


async def test_an_animation_of_too_many_frames_is_rejected() -> None:
    assert "frames" in await reason(an_animation("GIF", 501))


async def test_a_file_that_takes_too_long_is_killed() -> None:
    large = an_image("PNG", (3000, 3000))

    assert "limits" in await reason(large, image_cpu_s=0)


async def test_audio_or_video_of_another_kind_than_declared_is_rejected() -> None:
    assert "no video track" in await reason(a_sound("ipod", "aac"), AssetKind.VIDEO)
    assert "not an audio file" in await reason(a_film(), AssetKind.AUDIO)


async def test_codecs_that_do_not_play_everywhere_are_rejected() -> None:
    assert "mpeg4" in await reason(a_film("mp4", "mpeg4"))
    assert "mp3" in await reason(a_sound("mp4", "libmp3lame"), AssetKind.AUDIO)


@pytest.mark.parametrize(
    "sound",
    [partial(a_sound, level=0.0), partial(a_sound, "wav", "pcm_s16le", seconds=0.3)],
    ids=["silence", "300 ms"],
)
async def test_a_sound_without_a_loudness_has_all_renditions(sound: Callable[[], bytes]) -> None:
    finding = await look(sound())

    assert isinstance(finding, Accepted)
    assert finding.media["loudness_lufs"] is None
    assert len(finding.media["renditions"]) == 12


async def test_half_the_level_is_six_units_less() -> None:
    loud, soft = [
        await look(a_sound("wav", "pcm_s16le", seconds=2, level=level)) for level in (0.5, 0.25)
    ]
    assert isinstance(loud, Accepted)
    assert isinstance(soft, Accepted)
    assert loud.media["loudness_lufs"] - soft.media["loudness_lufs"] == pytest.approx(6.0, abs=0.2)


async def test_a_sound_comes_with_renditions_at_stated_rates_and_loudness() -> None:
    """Each is measured by decoding it; MP3 frames must not refer to the frames before them."""
    with tempfile.TemporaryFile() as file:
        file.write(a_sound(seconds=8))
        sniffed = sniff(a_sound(seconds=8)[:4096])
        assert sniffed is not None
        finding = await Inspector().inspect(file, sniffed, AssetKind.AUDIO)
        assert isinstance(finding, Accepted)
        assert finding.renditions is not None
        with finding.renditions as packed:
            packed.seek(0)
            pack = packed.read()
    index = parse_index(pack[HEAD_BYTES : HEAD_BYTES + index_bytes(pack[:HEAD_BYTES])])
    shapes = {(one.codec, one.sample_rate_hz, one.channels) for one in index.renditions}
    rates = (22_050, 24_000, 44_100, 48_000)
    assert {("mp3", rate, channels) for rate in rates for channels in (1, 2)} < shapes
    assert {("aac", 44_100, 1), ("aac", 44_100, 2), ("aac", 48_000, 2), ("ts", 44_100, 2)} < shapes
    for one in index.renditions:
        body = pack[one.start : one.start + one.size_bytes]
        measured = (
            inspect_stream(io.BytesIO(body), "aac" if one.codec == "aac" else "mp3", "audio")
            if one.codec != "ts"
            else None
        )
        if measured is not None:
            assert measured["media"]["sample_rate_hz"] == one.sample_rate_hz
            assert measured["media"]["loudness_lufs"] == pytest.approx(one.loudness_lufs, abs=1.0)
            assert measured["duration_ms"] == pytest.approx(8000, abs=100)
        if one.codec == "mp3":
            assert all(body[at + 4] == 0 for at in frame_starts(body))
    assert len(finding.media["renditions"]) == 12


def frame_starts(body: bytes) -> list[int]:
    """Of an MP3 without tags, by the size that each header states."""
    if body[1] & 8:  # MPEG-1
        kbps = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
        rates, scale = (44_100, 48_000, 32_000), 144_000
    else:
        kbps = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
        rates, scale = (22_050, 24_000, 16_000), 72_000
    starts = [0]
    while starts[-1] < len(body):
        third = body[starts[-1] + 2]
        size = scale * kbps[third >> 4] // rates[third >> 2 & 3] + (third >> 1 & 1)
        starts.append(starts[-1] + size)
    return starts[:-1]


async def test_a_page_must_be_utf_8() -> None:
    assert isinstance(await look(HTML + "é€𝒳".encode()), Accepted)
    assert "UTF-8" in await reason(HTML + b"\xe9")
    assert "U+0000" in await reason(HTML + b"\0")


async def damaged(content: bytes, rng: random.Random, times: int) -> AsyncIterator[bytes]:
    for _ in range(times):
        broken = bytearray(content)
        for _ in range(rng.randint(1, 30)):
            broken[rng.randrange(12, len(broken))] = rng.randrange(256)
        yield bytes(broken)
    yield content[:16] + rng.randbytes(len(content))


@pytest.mark.parametrize(
    "name", ["png", "jpeg", "gif", "webp", "avif", "mp3", "ogg", "mp4", "webm"]
)
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
async def test_flipped_bytes_end_in_a_finding(name: str, times: int) -> None:
    rng = random.Random(name)
    async for content in damaged(GOOD[name](), rng, times):
        if sniff(content[:4096]) is None:
            continue
        finding = await look(content)
        assert isinstance(finding, Accepted) or finding.reason


def _png(width: int, height: int, data: bytes) -> bytes:
    """A PNG of grey pixels that says whatever size it likes."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
