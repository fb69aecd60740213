"""What a file is, by its first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.service.asset_folder import MEDIA_TYPES
from common.values.enums import AssetKind
from control.demand.assets.sniff import sniff
from tests.control.demand.assets.files import HTML, a_film, a_sound, an_image


@pytest.mark.parametrize(
    ("content", "container", "kind"),
    [
        (an_image("PNG"), "png", AssetKind.IMAGE),
        (an_image("JPEG"), "jpeg", AssetKind.IMAGE),
        (an_image("GIF"), "gif", AssetKind.IMAGE),
        (an_image("WEBP"), "webp", AssetKind.IMAGE),
        (an_image("AVIF"), "avif", AssetKind.IMAGE),
        (a_sound(), "mp3", AssetKind.AUDIO),
        (a_sound("adts", "aac"), "aac", AssetKind.AUDIO),
        (a_sound("ipod", "aac"), "mp4", AssetKind.AUDIO),
        (a_sound("ogg", "libopus"), "ogg", AssetKind.AUDIO),
        (a_sound("wav", "pcm_s16le"), "wav", AssetKind.AUDIO),
        (a_film(), "mp4", AssetKind.VIDEO),
        (a_film("webm", "libvpx", None), "webm", AssetKind.VIDEO),
        (HTML, "html", AssetKind.HTML),
        (b"\xef\xbb\xbf \n<HTML>", "html", AssetKind.HTML),
        (b"<!-- a page --><p>x", "html", AssetKind.HTML),
        (b"<div class='ad'>", "html", AssetKind.HTML),
    ],
)
def test_a_file_is_known_by_its_bytes(content: bytes, container: str, kind: AssetKind) -> None:
    found = sniff(content[:4096])

    assert found is not None
    assert (found.container, found.kind) == (container, kind)
    assert found.media_type(kind) in {t.partition(";")[0] for t in MEDIA_TYPES.values()}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<",
        b"<svg>",
        b"<?xml version='1.0'?><svg/>",
        b"<!DOCTYPE svg>",
        b"<pirate>",
        b"text <html>",
        b"PK\x03\x04",
        b"%PDF-1.4",
        b"RIFF\0\0\0\0AVI ",
        b"\0\0\0\x18ftypheic",
        b"\0\0\0\x18ftypqt  ",
        b"\x1aE\xdf\xa3matroska",
        b"\xff\xfb"[:1],
        b"BM\0\0",
        b"II*\0",
        b"fLaC",
    ],
)
def test_anything_else_is_no_asset(content: bytes) -> None:
    assert sniff(content) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_something_or_nothing(content: bytes) -> None:
    found = sniff(content)

    assert found is None or found.kind in found.kinds
