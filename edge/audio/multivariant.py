"""Multivariant playlists of HLS (RFC 8216bis, 4.4.6): lists of variants and renditions, whose playlists get the ads."""

import re
from collections.abc import Iterator
from typing import Final

from edge.audio.playlist_lines import (
    MAX_CHARS,
    NotStitchable,
    absolute,
    attribute,
    lines_of,
    with_absolute_addresses,
)

MAX_VARIANTS: Final = 200
_RENDITION: Final = "#EXT-X-MEDIA:"
_CARRIES_ADS: Final = re.compile(r"#EXT-X-MEDIA:(?:.*,)?TYPE=(?:AUDIO|VIDEO)(?:,|$)")
"""A rendition that the ads are put into, unlike subtitles."""


def is_master(text: str) -> bool:
    return "#EXT-X-STREAM-INF" in text or "#EXT-X-MEDIA:" in text


def variant_urls(text: str, url: str) -> list[str]:
    """
    The absolute URLs of a multivariant playlist: of its variants and its renditions, in the order of the lines. Those
    without ads have a number too: earlier versions numbered them, and players keep the numbers for a whole session.
    Raises `NotStitchable` where an address in it is no URL, there are more than `MAX_VARIANTS`, or the addresses are
    longer than `MAX_CHARS` together.
    """
    return [found for _, found, _ in _lines(text, url) if found is not None]


def first_with_ads(text: str, url: str) -> str | None:
    """The first of `variant_urls` that gets the ads; None where none does. Raises `NotStitchable`, as that does."""
    urls = [found for _, found, carries_ads in _lines(text, url) if carries_ads]
    return urls[0] if urls else None


def with_variants(text: str, url: str, base_url: str) -> str:
    """
    The multivariant playlist at *url* with ``BASE_URL/vNUMBER.m3u8`` in place of those of `variant_urls` that get the
    ads. Its other addresses are absolute. Raises `NotStitchable`, as `variant_urls` does.
    """
    number = 0
    lines = []
    for line, found, carries_ads in _lines(text, url):
        own_url = f"{base_url}/v{number}.m3u8"
        if not carries_ads:
            lines.append(line)
        elif line.startswith("#"):
            lines.append(line.replace(f'URI="{found}"', f'URI="{own_url}"'))
        else:
            lines.append(own_url)
        number += found is not None
    return "\n".join(lines) + "\n"


def _lines(text: str, url: str) -> Iterator[tuple[str, str | None, bool]]:
    """
    Yields each line with absolute addresses, its address if it is of a variant or a rendition, and whether that gets
    the ads.
    """
    variants = chars = 0
    for raw in lines_of(text):
        line, found, carries_ads = raw.strip(), None, False
        if line.startswith("#EXT-X-"):
            line = with_absolute_addresses(url, line)
            if line.startswith(_RENDITION):
                found = attribute(line, "URI") or None
                carries_ads = found is not None and _CARRIES_ADS.match(line) is not None
        elif line and not line.startswith("#"):
            line = found = absolute(url, line)
            carries_ads = True
        variants += found is not None
        chars += len(line)
        if variants > MAX_VARIANTS or chars > MAX_CHARS:
            raise NotStitchable("too many variants, or their addresses are too long")
        yield line, found, carries_ads
