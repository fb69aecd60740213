"""
Position in a live playlist: before which of its segments the breaks play. Offsets count from where the player joined,
and the place of a break never changes.

Variants may number their segments differently (RFC 8216bis, 6.3.2). One that is requested for the first time is
aligned with the one that was read last: by dates where both have them, by numbers where these overlap, else because
both end now.
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from common.contract.audio_models import MAX_CONTENT_MS
from edge.audio.playlist import MediaPlaylist, nearest_start
from edge.audio.sessions import AudioSession

_LIVE_EDGE_SEGMENTS: Final = 3
"""Players begin a live playlist so many segments before its end (RFC 8216bis, 6.3.3)."""


@dataclass(frozen=True, slots=True)
class VariantPosition:
    """
    ``segment`` began ``at_ms`` after the player joined. ``placed``: break number → number of the segment before which
    it plays, or None where it had played before this variant was requested.
    """

    segment: int
    at_ms: int
    placed: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class LivePositions:
    """
    Of all variants of a session, by their name. ``times_ms``: break number → when it plays. ``zero_ms``: the date at
    which the player joined, by the playlist's own dates. The last read playlist had the segments ``first`` to ``last``
    and ended ``end_ms`` after the player joined, at the time ``read_ms``.
    """

    variants: dict[str, VariantPosition] = field(default_factory=dict)
    times_ms: dict[str, int] = field(default_factory=dict)
    zero_ms: int | None = None
    first: int = 0
    last: int = 0
    end_ms: int = 0
    read_ms: int = 0

    def encode(self) -> bytes:
        return orjson.dumps(self)

    @classmethod
    def parse(cls, body: bytes) -> "LivePositions":
        values: dict[str, Any] = orjson.loads(body)
        variants = {name: VariantPosition(**one) for name, one in values.pop("variants").items()}
        return cls(variants, **values)

    def advance(
        self, session: AudioSession, playlist: MediaPlaylist, variant: str, now_ms: int
    ) -> "LivePositions":
        """The positions after *playlist* of *variant* was read at *now_ms*. Breaks that have a place keep it."""
        here = self.variants.get(variant) or self._join(playlist, now_ms)
        index = here.segment - playlist.sequence
        if index > len(playlist.segments):  # the playlist went back
            return self
        starts = playlist.starts_ms
        if index < 0:  # segments that left between two reads were of the usual length
            start_ms = min(here.at_ms - index * playlist.target_s * 1000, MAX_CONTENT_MS)
            index = 0
        else:
            start_ms = here.at_ms - starts[index]
        placed, times_ms = dict(here.placed), dict(self.times_ms)
        for number, one in enumerate(session.breaks):
            if one.offset_ms is None or str(number) in placed:
                continue
            place = bisect_left(starts, one.offset_ms - start_ms, index, len(playlist.segments))
            if place < len(playlist.segments):
                placed[str(number)] = playlist.sequence + place
                times_ms.setdefault(str(number), start_ms + starts[place])
        moved = VariantPosition(playlist.sequence + index, start_ms + starts[index], placed)
        return LivePositions(
            variants={**self.variants, variant: moved},
            times_ms=times_ms,
            zero_ms=self.zero_ms if self.zero_ms is not None else _zero_ms(playlist, start_ms),
            first=playlist.sequence,
            last=playlist.sequence + len(playlist.segments),
            end_ms=start_ms + playlist.duration_ms,
            read_ms=now_ms,
        )

    def _join(self, playlist: MediaPlaylist, now_ms: int) -> VariantPosition:
        if not self.variants:
            joined = max(0, len(playlist.segments) - _LIVE_EDGE_SEGMENTS)
            return VariantPosition(playlist.sequence + joined, 0, {})
        start_ms = min(self._start_ms(playlist, now_ms), MAX_CONTENT_MS)
        placed: dict[str, int | None] = {}
        for number, time_ms in self.times_ms.items():
            has_played = time_ms < start_ms - playlist.target_s * 500
            place = nearest_start(playlist, time_ms - start_ms)
            placed[number] = None if has_played else playlist.sequence + place
        return VariantPosition(playlist.sequence, start_ms, placed)

    def _start_ms(self, playlist: MediaPlaylist, now_ms: int) -> int:
        """When the first segment of another variant's *playlist* began."""
        if self.zero_ms is not None and playlist.started_at is not None:
            return round(playlist.started_at.timestamp() * 1000) - self.zero_ms
        count = len(playlist.segments)
        if not (self.first < playlist.sequence + count and playlist.sequence < self.last):
            return self.end_ms + now_ms - self.read_ms - playlist.duration_ms
        index = self.last - playlist.sequence
        missing_ms = max(0, index - count) * playlist.target_s * 1000
        return self.end_ms - missing_ms - playlist.starts_ms[min(index, count)]


def _zero_ms(playlist: MediaPlaylist, start_ms: int) -> int | None:
    if playlist.started_at is None:
        return None
    return round(playlist.started_at.timestamp() * 1000) - start_ms
