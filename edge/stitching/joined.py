"""The file of a session: its layout, the same for every worker and request, as it follows from session and content."""

import asyncio
from typing import Final

from edge.audio.adts import AdtsFrames
from edge.audio.contents import Content
from edge.audio.join import AdSound, Frames, JoinedFile, join
from edge.audio.parts import AudioParts
from edge.audio.sessions import AudioSession, SessionAd

EXTENSIONS: Final = {"audio/mpeg": "mp3", "audio/aac": "aac"}


async def find_content(audio: AudioParts, session: AudioSession) -> Content | None:
    """The content as it was when the session began; None where it is slow, gone or changed."""
    if session.content_url is None or not session.content_digest:
        return None
    content = await audio.contents.find(
        session.content_url, session.property_id, wait_s=audio.wait_s
    )
    return content if content is not None and content.digest == session.content_digest else None


async def find_joined(
    audio: AudioParts, session: AudioSession, key: str, *, deadline_s: float
) -> JoinedFile | None:
    """
    None where the content is no longer what it was, or the sounds of the ads are not there at *deadline_s*, of the
    event loop's clock.
    """
    content = await find_content(audio, session)
    if content is None or content.frames is None:
        return None
    known: JoinedFile | None = audio.joined.get(key)
    if known is not None:
        return known
    try:
        made = await _join(audio, session, content, content.frames, deadline_s)
    except OSError:  # or TimeoutError, which is one
        return None
    audio.joined.put(key, made)
    return made


async def _join(
    audio: AudioParts, session: AudioSession, content: Content, frames: Frames, deadline_s: float
) -> JoinedFile:
    async with asyncio.timeout_at(deadline_s):
        breaks = await _sounds(audio, session, frames)

    def assemble() -> JoinedFile:
        with content.opened() as mapped:
            return join(mapped, frames, breaks)

    return await audio.contents.run(assemble)


async def _sounds(
    audio: AudioParts, session: AudioSession, frames: Frames
) -> list[tuple[int | None, list[AdSound]]]:
    """Pairs of a break's position and the sounds of its ads: none where one of them has no rendition."""
    breaks: list[tuple[int | None, list[AdSound]]] = []
    number = 0
    for one in session.breaks:
        sounds: list[AdSound] = []
        for ad in one.ads:
            body = await _body(audio, ad, frames, session.content_lufs)
            if body is not None:
                sounds.append(AdSound(number, body))
            number += 1
        is_whole = len(sounds) == len(one.ads)
        breaks.append((one.offset_ms, sounds if is_whole else []))
    return breaks


async def _body(
    audio: AudioParts, ad: SessionAd, frames: Frames, lufs: float | None
) -> bytes | None:
    sound = await audio.sounds.find(ad.media_url)
    if sound is None:
        return None
    if isinstance(frames, AdtsFrames):
        return await audio.sounds.adts_at(sound, frames.sample_rate_hz, frames.channels, lufs)
    return await audio.sounds.mp3_at(sound, frames.shape, lufs)
