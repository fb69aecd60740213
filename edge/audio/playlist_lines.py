"""Lines and addresses of HLS playlists, and how large a playlist may be."""

import re
from typing import Final
from urllib.parse import urljoin

from common.contract.hostnames import split_url

MAX_PLAYLIST_BYTES: Final = 4_000_000
MAX_SEGMENTS: Final = 43_200
"""A day of segments of two seconds."""
MAX_CHARS: Final = 2 * MAX_PLAYLIST_BYTES
"""Of all lines with absolute addresses, because a long address of the playlist stands before each of them."""
_MAX_LINES: Final = 5 * MAX_SEGMENTS
_ADDRESS: Final = re.compile(r'(?<=[:,])((?:SERVER-|X-ASSET-)?URI|X-ASSET-LIST)="([^"]+)"')
"""Attributes of tags that are addresses (RFC 8216bis, 4.4 and appendix D)."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class NotStitchable(ValueError):
    """The playlist is returned as it is; the message is the reason."""


def lines_of(text: str) -> list[str]:
    if text.count("\n") >= _MAX_LINES:
        raise NotStitchable("too many lines")
    return text.replace("\r\n", "\n").rstrip("\n").split("\n")


def absolute(url: str, uri: str) -> str:
    """*uri*, relative to the playlist at *url*. Raises `NotStitchable` where it is no URL."""
    if _CONTROL.search(uri):  # a redirect may lead there
        raise NotStitchable("an address with control characters")
    try:
        if not uri.isascii():
            split_url(uri)
        return urljoin(url, uri)
    except ValueError:
        raise NotStitchable("an address that is no URL") from None


def with_absolute_addresses(url: str, tag: str) -> str:
    """A tag of the playlist at *url* with absolute addresses. Raises `NotStitchable` where one of them is no URL."""
    if '="' not in tag:
        return tag
    return _ADDRESS.sub(lambda found: f'{found[1]}="{absolute(url, found[2])}"', tag)


def attribute(tag: str, name: str) -> str | None:
    """The value of a quoted attribute."""
    _, found, rest = tag.partition(f'{name}="')
    return rest.partition('"')[0] if found else None
