"""The playlists of a session: the content's, with the ads in it, and those of single ads."""

import asyncio
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Final

from edge.audio import adts, mp3
from edge.audio.multivariant import is_master, variant_urls, with_variants
from edge.audio.parts import AudioParts
from edge.audio.playlist import (
    AdSegments,
    MediaPlaylist,
    PlacedBreak,
    ad_playlist,
    parse_media_playlist,
    segment_at,
    stitched,
    with_interstitials,
)
from edge.audio.playlist_lines import NotStitchable
from edge.audio.sessions import SESSION_LIFE_S, AudioSession, SessionAd
from edge.ports import AudioSessionStoreUnavailable
from edge.stitching.delivery import ads_of
from edge.stitching.live import LivePositions
from edge.stitching.sources import fetch_playlist, read_playlist

PLAYLIST_CODEC: Final = "ts"
"""Of an ad's segments, unless the content has packed ones."""
SEGMENT_MS: Final = 6000
_FEW_SEGMENTS: Final = 1000
"""More are written in a thread."""
_MAX_TRIES: Final = 5
"""To change the position of a session, which other requests change at the same time."""
_INTERSTITIAL: Final = "interstitial"
MEDIA_TYPES: Final = {"ts": "video/mp2t", "aac": "audio/aac", "mp3": "audio/mpeg"}
_ID3_HEAD: Final = b"ID3\x04\x00\x00\x00\x00\x00\x3f"
_ID3_PRIV: Final = b"PRIV\x00\x00\x00\x35\x00\x00com.apple.streaming.transportStreamTimestamp\x00"
_CLOCK_HZ: Final = 90_000


async def content_playlist(  # noqa: PLR0917 - all that a playlist follows from
    audio: AudioParts,
    session: AudioSession,
    key: str,
    base_url: str,
    variant: int | None,
    now_ms: int,
) -> tuple[str | None, str | None]:
    """
    The playlist of the content with its ads, or with *variant* that of one of its variants; and the original's own
    address. *base_url*: of the session's own URLs. The playlist is None where it cannot be fetched within
    ``audio.wait_s`` with the ads' sounds, or stitched any more: the listener then gets the original.
    """
    original_url, fetched, deadline_s = session.content_url, None, audio.deadline_s()
    with suppress(NotStitchable, TimeoutError):
        async with asyncio.timeout_at(deadline_s):  # of both playlists together
            original_url = await _variant_url(audio, session, variant) or original_url
            fetched = None if original_url is None else await fetch_playlist(audio, original_url)
    if fetched is None:
        return None, original_url
    text, final_url = fetched
    try:
        if variant is None and is_master(text):
            write = partial(with_variants, base_url=base_url)
            return await read_playlist(write, text, final_url), original_url
        async with asyncio.timeout_at(deadline_s):  # of the ads' sounds too
            playlist = await read_playlist(parse_media_playlist, text, final_url)
            places = await _places(audio, session, key, variant, playlist, now_ms)
            return await _with_ads(audio, session, base_url, playlist, places), original_url
    except (NotStitchable, OSError):  # or TimeoutError, which is one
        return None, original_url


async def _variant_url(audio: AudioParts, session: AudioSession, variant: int | None) -> str | None:
    """The content's own address of *variant*; that of the content itself where it is None. Raises `NotStitchable`."""
    if variant is None or session.content_url is None:
        return session.content_url
    fetched = await fetch_playlist(audio, session.content_url)
    urls = [] if fetched is None else await read_playlist(variant_urls, *fetched)
    return urls[variant] if variant < len(urls) else None


async def single_ad_playlist(
    audio: AudioParts, session: AudioSession, base_url: str, number: int
) -> str | None:
    """The playlist of an ad alone. None where there is no such ad, and where it cannot be read in ``audio.wait_s``."""
    ads = ads_of(session)
    if number >= len(ads):
        return None
    found = None
    with suppress(OSError):  # or TimeoutError, which is one
        async with asyncio.timeout_at(audio.deadline_s()):
            found = await _ad_segments(audio, ads[number], base_url, number, PLAYLIST_CODEC)
    return None if found is None else ad_playlist(found.segments)


async def segment_body(
    audio: AudioParts, ad: SessionAd, codec: str, number: int
) -> tuple[bytes, int] | None:
    """The segment *number* of the ad, and how many it has; None where it does not exist. Raises OSError."""
    sound = await audio.sounds.find(ad.media_url)
    rendition = None if sound is None else sound.find_first(codec)
    if sound is None or rendition is None:
        return None
    body = await audio.sounds.read(sound, rendition)
    if codec == "ts":
        start = sum(size for size, _ in rendition.segments[:number])
        if number >= len(rendition.segments):
            return None
        return body[start : start + rendition.segments[number][0]], len(rendition.segments)
    borders = _borders(body, codec)
    if number + 1 >= len(borders):
        return None
    (start, start_ms), (end, _) = borders[number], borders[number + 1]
    stamp = (start_ms * _CLOCK_HZ // 1000).to_bytes(8, "big")
    return _ID3_HEAD + _ID3_PRIV + stamp + body[start:end], len(borders) - 1


async def _with_ads(
    audio: AudioParts,
    session: AudioSession,
    base_url: str,
    playlist: MediaPlaylist,
    places: dict[int, int],
) -> str:
    is_separate = session.ad_markers == _INTERSTITIAL
    if playlist.is_unbroken and not is_separate:
        raise NotStitchable("segments that depend on those before them")
    is_packed = playlist.extension in MEDIA_TYPES and not is_separate
    codec = playlist.extension if is_packed else PLAYLIST_CODEC
    placed = []
    number = 0
    for index, one in enumerate(session.breaks):
        ads = []
        for ad in one.ads:
            found = await _ad_segments(audio, ad, base_url, number, codec)
            if found is None:
                raise NotStitchable("an ad's renditions are gone")
            ads.append(found)
            number += 1
        if index in places and ads:
            placed.append(PlacedBreak(f"break-{index}", places[index], ads))
    write = with_interstitials if is_separate else stitched
    if len(playlist.segments) <= _FEW_SEGMENTS:
        return write(playlist, placed)
    return await asyncio.to_thread(write, playlist, placed)


async def _places(  # noqa: PLR0917 - all that a place follows from
    audio: AudioParts,
    session: AudioSession,
    key: str,
    variant: int | None,
    playlist: MediaPlaylist,
    now_ms: int,
) -> dict[int, int]:
    """Break number → number of the segment before which it plays; -1: after the last one."""
    if not playlist.is_live:
        return {
            number: -1 if one.offset_ms is None else segment_at(playlist, one.offset_ms)
            for number, one in enumerate(session.breaks)
        }
    name, positions_key = "" if variant is None else str(variant), f"{key}:positions"
    try:
        for _ in range(_MAX_TRIES):
            stored = await audio.sessions.find(positions_key)
            before = LivePositions() if stored is None else LivePositions.parse(stored)
            after = before.advance(session, playlist, name, now_ms)
            body = after.encode()
            if await audio.sessions.replace(positions_key, stored, body, SESSION_LIFE_S):
                placed = after.variants[name].placed
                return {int(one): place for one, place in placed.items() if place is not None}
    except AudioSessionStoreUnavailable:
        raise NotStitchable("the session's position is not known") from None
    raise NotStitchable("other requests of the session change its position")


async def _ad_segments(
    audio: AudioParts, ad: SessionAd, base_url: str, number: int, codec: str
) -> AdSegments | None:
    sound = await audio.sounds.find(ad.media_url)
    rendition = None if sound is None else sound.find_first(codec)
    if sound is None or rendition is None:
        return None
    if codec == "ts":
        lengths = [ms for _, ms in rendition.segments]
    else:
        borders = _borders(await audio.sounds.read(sound, rendition), codec)
        lengths = [end[1] - start[1] for start, end in pairwise(borders)]
    segments = [(f"{base_url}/{number}/{place}.{codec}", ms) for place, ms in enumerate(lengths)]
    return AdSegments(segments, f"{base_url}/a{number}.m3u8")


def _borders(body: bytes, codec: str) -> list[tuple[int, int]]:
    """Pairs of offset in bytes and in ms at which the segments begin, and the end."""
    frames = mp3.find_frames(body) if codec == "mp3" else adts.find_adts_frames(body)
    if frames is None:
        return []
    count = max(1, SEGMENT_MS * frames.count // max(1, frames.duration_ms))
    numbers = [*range(0, frames.count, count), frames.count]
    return [
        (frames.offsets[number], frames.duration_ms * number // frames.count) for number in numbers
    ]
