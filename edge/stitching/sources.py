"""The content of a request, as far as ads can be put into it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from common.contract.audio_models import AdMarkers, ContentKind, StitchBody
from common.fetching.web import NotFetched
from edge.audio.adts import AdtsFrames
from edge.audio.join import Frames
from edge.audio.multivariant import first_with_ads, is_master
from edge.audio.parts import AudioParts
from edge.audio.playlist import parse_media_playlist
from edge.audio.playlist_lines import MAX_PLAYLIST_BYTES, NotStitchable

SHORT_PLAYLIST_CHARS: Final = 4096
_OK = 200
_MP3_RATES = frozenset({44_100, 48_000, 22_050, 24_000})
_AAC_SHAPES = frozenset({(44_100, 1), (44_100, 2), (48_000, 2)})
"""Sample rates and channels of the renditions (`control.demand.media_inspection.renditions`)."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Source:
    """``digest``, ``media_type``, ``lufs``: of a file. ``is_live``: of a playlist, which has no end yet."""

    digest: str = ""
    media_type: str = ""
    lufs: float | None = None
    is_live: bool = False


async def find_source(audio: AudioParts, body: StitchBody, property_id: str) -> Source | None:
    """None where the source is slow, gone, encrypted, or not what ads can be put into. Never raises."""
    url = body.content.url
    if url is None:
        return None
    if body.content.kind is ContentKind.HLS:
        is_separate = body.ad_markers is AdMarkers.INTERSTITIAL
        try:
            async with asyncio.timeout(audio.wait_s):  # of all its playlists together
                return await _find_playlist(audio, url, is_separate=is_separate)
        except (NotStitchable, TimeoutError):
            return None
    content = await audio.contents.find(url, property_id, wait_s=audio.wait_s)
    if content is None or content.frames is None or not is_supported(content.frames):
        return None
    is_aac = isinstance(content.frames, AdtsFrames)
    return Source(content.digest, "audio/aac" if is_aac else "audio/mpeg", content.lufs)


def is_supported(frames: Frames) -> bool:
    """Whether there are renditions in these frames."""
    if isinstance(frames, AdtsFrames):
        return (frames.sample_rate_hz, frames.channels) in _AAC_SHAPES
    return frames.shape.sample_rate_hz in _MP3_RATES


async def fetch_playlist(audio: AudioParts, url: str) -> tuple[str, str] | None:
    """The text and its final URL, for relative URIs; None where it is not there within ``audio.wait_s``."""
    body = bytearray()

    async def sink(chunk: bytes) -> None:
        body.extend(chunk)

    try:
        async with asyncio.timeout(audio.wait_s):
            found = await audio.contents.fetcher.download(url, sink, max_bytes=MAX_PLAYLIST_BYTES)
        if isinstance(found, NotFetched) or found.status != _OK:
            return None
        return body.decode(), found.url
    except (TimeoutError, UnicodeDecodeError):
        return None


async def read_playlist(read: Callable[[str, str], Result], text: str, url: str) -> Result:
    """The result of *read*; in a thread where the playlist is so long that others would wait for it."""
    if len(text) <= SHORT_PLAYLIST_CHARS:
        return read(text, url)
    return await asyncio.to_thread(read, text, url)


async def _find_playlist(audio: AudioParts, url: str, *, is_separate: bool) -> Source | None:
    """Raises `NotStitchable`."""
    fetched = await fetch_playlist(audio, url)
    if fetched is None:
        return None
    text, base = fetched
    if is_master(text):
        first = await read_playlist(first_with_ads, text, base)
        fetched = None if first is None else await fetch_playlist(audio, first)
        if fetched is None or "#EXT-X-SESSION-KEY" in text:
            return None
        text, base = fetched
    playlist = await read_playlist(parse_media_playlist, text, base)
    can_carry = is_separate or not playlist.is_unbroken
    return Source(is_live=playlist.is_live) if can_carry else None
