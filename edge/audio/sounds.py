"""Renditions of uploaded sounds, read from the asset store: by the URL of the sound, whose name they share."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from common.fetching.guarded_fetcher import GuardedFetcher
from common.service.asset_folder import find_object_name
from common.service.rendition_pack import (
    EXTENSION,
    HEAD_BYTES,
    PackInvalid,
    Rendition,
    RenditionPack,
    index_bytes,
    parse_index,
)
from common.values.generation_cache import GenerationCache
from edge.audio import mp3
from edge.audio.mp3 import Mp3Shape

_MAX_PACKS: Final = 512
_MAX_BODIES: Final = 64
"""Renditions in memory, of half a megabyte each."""
_MAX_PACK_BYTES: Final = 64_000_000
_MAX_GAIN_STEPS: Final = 8
"""12 dB: content that is louder or softer than that is not matched further."""
_KEEP_LUFS: Final = -16.0
"""Loudness of ads in content of unknown loudness, as podcasts are recommended to have."""
_PLAYLIST_RATE_HZ: Final = 44_100

Result = TypeVar("Result")


class AssetReader(Protocol):
    """The folder of a local asset store (`edge.state.asset_folder`)."""

    async def find_size(self, name: str) -> int | None: ...

    async def read(self, name: str, start: int, count: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Sound:
    """One uploaded sound with its renditions. ``name``: of the pack in the store."""

    name: str
    url: str
    pack: RenditionPack

    def find(self, codec: str, sample_rate_hz: int, channels: int) -> list[Rendition]:
        return [
            one
            for one in self.pack.renditions
            if (one.codec, one.sample_rate_hz, one.channels) == (codec, sample_rate_hz, channels)
        ]

    def find_first(self, codec: str) -> Rendition | None:
        """The rendition of *codec* that playlists use: in stereo, at 44.1 kHz and near -16 LUFS."""
        found = [one for one in self.pack.renditions if one.codec == codec]
        return min(
            found,
            key=lambda one: (
                -one.channels,
                abs(one.sample_rate_hz - _PLAYLIST_RATE_HZ),
                abs(one.loudness_lufs - _KEEP_LUFS),
            ),
            default=None,
        )


class Sounds:
    def __init__(self, assets: AssetReader | None, fetcher: GuardedFetcher) -> None:
        """*assets* None: the store is a bucket, and packs are fetched from where the sounds are."""
        self._assets = assets
        self._fetcher = fetcher
        self._packs = GenerationCache(_MAX_PACKS)
        self._fetched = GenerationCache(_MAX_BODIES // 8)
        self._bodies = GenerationCache(_MAX_BODIES)
        self._reads: dict[tuple[str, int], asyncio.Task[Any]] = {}

    async def find(self, media_url: str) -> Sound | None:
        """
        None where the URL is of no uploaded sound, or of one that has no renditions. Where the caller stops waiting,
        the read goes on for the next one; so it does in `read`.
        """
        own_name = find_object_name(media_url)
        if own_name is None:
            return None
        name = f"{own_name.partition('.')[0]}.{EXTENSION}"
        known: Sound | None = self._packs.get(name)
        if known is not None:
            return known
        url = f"{media_url.removesuffix(own_name)}{name}"
        try:
            return await self._shared((name, 0), lambda: self._load_index(name, url))
        except (PackInvalid, OSError):
            return None

    async def read(self, sound: Sound, rendition: Rendition) -> bytes:
        """All bytes of a rendition. Raises OSError where they are gone."""
        key = (sound.name, rendition.start)
        body: bytes | None = self._bodies.get(key)
        if body is None:
            return await self._shared(key, lambda: self._load_body(sound, rendition))
        return body

    async def mp3_at(self, sound: Sound, shape: Mp3Shape, lufs: float | None) -> bytes | None:
        """The frames of the MP3 rendition of *shape*, at the loudness *lufs*, in steps of 1.5 dB."""
        found = sound.find("mp3", shape.sample_rate_hz, shape.channels)
        if not found:
            return None
        wanted = _KEEP_LUFS if lufs is None else lufs
        steps = round((wanted - found[0].loudness_lufs) / mp3.GAIN_STEP_DB)
        steps = max(-_MAX_GAIN_STEPS, min(_MAX_GAIN_STEPS, steps))
        body = await self.read(sound, found[0])
        if not steps:
            return body
        key = (sound.name, found[0].start, steps)
        changed: bytes | None = self._bodies.get(key)
        if changed is None:
            changed = _with_gain(body, steps)
            self._bodies.put(key, changed)
        return changed

    async def adts_at(
        self, sound: Sound, sample_rate_hz: int, channels: int, lufs: float | None
    ) -> bytes | None:
        """The frames of the AAC rendition whose loudness is nearest to *lufs*."""
        wanted = _KEEP_LUFS if lufs is None else lufs
        found = sound.find("aac", sample_rate_hz, channels)
        if not found:
            return None
        nearest = min(found, key=lambda one: abs(one.loudness_lufs - wanted))
        return await self.read(sound, nearest)

    async def close(self) -> None:
        """Ends reads in progress."""
        tasks = [*self._reads.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _shared(
        self, key: tuple[str, int], load: Callable[[], Coroutine[Any, Any, Result]]
    ) -> Result:
        """The result of *load*, which runs once for all who wait, and to its end if nobody does."""
        task: asyncio.Task[Result] | None = self._reads.get(key)
        if task is None:
            task = self._reads[key] = asyncio.create_task(load())
            task.add_done_callback(lambda done: self._end(key, done))
        return await asyncio.shield(task)

    def _end(self, key: tuple[str, int], task: asyncio.Task[Any]) -> None:
        del self._reads[key]
        if not task.cancelled():
            task.exception()  # or asyncio logs one that nobody waited for

    async def _load_index(self, name: str, url: str) -> Sound:
        head = await self._read(name, url, 0, HEAD_BYTES)
        text = await self._read(name, url, HEAD_BYTES, index_bytes(head))
        found = Sound(name, url, parse_index(text))
        self._packs.put(name, found)
        return found

    async def _load_body(self, sound: Sound, rendition: Rendition) -> bytes:
        body = await self._read(sound.name, sound.url, rendition.start, rendition.size_bytes)
        self._bodies.put((sound.name, rendition.start), body)
        return body

    async def _read(self, name: str, url: str, start: int, count: int) -> bytes:
        if self._assets is not None:
            body = await self._assets.read(name, start, count)
        else:
            body = (await self._fetch(name, url))[start : start + count]
        if len(body) != count:
            raise OSError(f"{name} ends early")
        return body

    async def _fetch(self, name: str, url: str) -> bytes:
        known: bytes | None = self._fetched.get(name)
        if known is not None:
            return known
        body = bytearray()

        async def sink(chunk: bytes) -> None:
            body.extend(chunk)

        found = await self._fetcher.download(url, sink, max_bytes=_MAX_PACK_BYTES)
        if getattr(found, "status", 0) != 200:  # noqa: PLR2004 - OK
            raise OSError(f"{name} cannot be fetched")
        self._fetched.put(name, bytes(body))
        return bytes(body)


def _with_gain(body: bytes, steps: int) -> bytes:
    frames = mp3.find_frames(body)
    if frames is None:
        return body
    offsets, shape = frames.offsets, frames.shape
    return b"".join(
        [
            mp3.change_gain(body[offsets[number] : offsets[number + 1]], steps, shape)
            for number in range(frames.count)
        ]
    )
