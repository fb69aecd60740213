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
_CARRIES_ADS: Final = re.compile(r"#EXT-X-MEDIA:(?:.*,)?TYPE=(?:AUDIO|VIDEO)(?:,|$)")
"""A rendition that the ads are put into, unlike subtitles."""


def is_master(text: str) -> bool:
    return "#EXT-X-STREAM-INF" in text or "#EXT-X-MEDIA:" in text


def variant_urls(text: str, url: str) -> list[str]:
    """
    The absolute URLs of a multivariant playlist: of its variants and its renditions in sound or pictures, in the order
    of the lines. Raises `NotStitchable` where an address in it is no URL, there are more than `MAX_VARIANTS`, or the
    addresses are longer than `MAX_CHARS` together.
    """
    return [variant_url for _, variant_url in _lines(text, url) if variant_url is not None]


def with_variants(text: str, url: str, base_url: str) -> str:
    """
    The multivariant playlist at *url* with ``BASE_URL/vNUMBER.m3u8`` in place of those of `variant_urls`. Its other
    addresses are absolute. Raises `NotStitchable`, as `variant_urls` does.
    """
    number = 0
    lines = []
    for line, variant_url in _lines(text, url):
        if variant_url is None:
            lines.append(line)
            continue
        own_url = f"{base_url}/v{number}.m3u8"
        is_tag = line.startswith("#")
        lines.append(
            line.replace(f'URI="{variant_url}"', f'URI="{own_url}"') if is_tag else own_url
        )
        number += 1
    return "\n".join(lines) + "\n"


def _lines(text: str, url: str) -> Iterator[tuple[str, str | None]]:
    """Yields each line with absolute addresses, and its address if it is of a variant or of such a rendition."""
    variants = chars = 0
    for raw in lines_of(text):
        line, variant_url = raw.strip(), None
        if line.startswith("#EXT-X-"):
            line = with_absolute_addresses(url, line)
            variant_url = attribute(line, "URI") if _CARRIES_ADS.match(line) else None
        elif line and not line.startswith("#"):
            line = variant_url = absolute(url, line)
        variants += variant_url is not None
        chars += len(line)
        if variants > MAX_VARIANTS or chars > MAX_CHARS:
            raise NotStitchable("too many variants, or their addresses are too long")
        yield line, variant_url
