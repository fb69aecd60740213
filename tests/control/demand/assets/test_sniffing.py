"""What a file is, by its first bytes."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.service.asset_folder import MEDIA_TYPES
from common.values.enums import AssetKind
from control.demand.assets.sniff import sniff
from tests.control.demand.assets.files import HTML, a_film, a_sound, an_image


@pytest.mark.parametrize(
    ("make", "container", "kind"),
    [
        (partial(an_image, "PNG"), "png", AssetKind.IMAGE),
        (partial(an_image, "JPEG"), "jpeg", AssetKind.IMAGE),
        (partial(an_image, "GIF"), "gif", AssetKind.IMAGE),
        (partial(an_image, "WEBP"), "webp", AssetKind.IMAGE),
        (partial(an_image, "AVIF"), "avif", AssetKind.IMAGE),
        (a_sound, "mp3", AssetKind.AUDIO),
        (partial(a_sound, "adts", "aac"), "aac", AssetKind.AUDIO),
        (partial(a_sound, "ipod", "aac"), "mp4", AssetKind.AUDIO),
        (partial(a_sound, "ogg", "libopus"), "ogg", AssetKind.AUDIO),
        (partial(a_sound, "wav", "pcm_s16le"), "wav", AssetKind.AUDIO),
        (a_film, "mp4", AssetKind.VIDEO),
        (partial(a_film, "webm", "libvpx", None), "webm", AssetKind.VIDEO),
    ],
)
def test_a_picture_a_sound_and_a_film_are_known_by_their_bytes(
    make: Callable[[], bytes], container: str, kind: AssetKind
) -> None:
    check_kind(make(), container, kind)


@pytest.mark.parametrize(
    "content",
    [
        HTML,
        b"\xef\xbb\xbf \n<HTML>",
        b"<!-- a page --><p>x",
        b"<div class='ad'>",
    ],
)
def test_a_page_is_known_by_its_bytes(content: bytes) -> None:
    check_kind(content, "html", AssetKind.HTML)


def check_kind(content: bytes, container: str, kind: AssetKind) -> None:
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
