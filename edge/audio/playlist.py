"""HLS media playlists (RFC 8216bis): puts ads between the segments of the content, whose lines stay as they are."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import ceil
from typing import Final

from edge.audio.multivariant import is_master
from edge.audio.playlist_lines import (
    MAX_CHARS,
    MAX_SEGMENTS,
    NotStitchable,
    absolute,
    lines_of,
    with_absolute_addresses,
)

_MAX_SEGMENT_S: Final = 86_400
_MAX_NUMBER: Final = 2**53
_MAX_YEAR: Final = 9000
"""Dates are added to the length of a playlist."""

_TARGET: Final = "#EXT-X-TARGETDURATION:"
_SEQUENCE: Final = "#EXT-X-MEDIA-SEQUENCE:"
_DISCONTINUITIES: Final = "#EXT-X-DISCONTINUITY-SEQUENCE:"
_DISCONTINUITY: Final = "#EXT-X-DISCONTINUITY"
_DATE: Final = "#EXT-X-PROGRAM-DATE-TIME:"
_END: Final = "#EXT-X-ENDLIST"
_VERSION: Final = "#EXT-X-VERSION:"
_SEGMENT_TAGS: Final = (
    *("#EXTINF:", "#EXT-X-BYTERANGE", "#EXT-X-DISCONTINUITY", "#EXT-X-KEY", "#EXT-X-MAP", _DATE),
    *("#EXT-X-GAP", "#EXT-X-BITRATE", "#EXT-X-PART", "#EXT-X-DATERANGE", "#EXT-X-CUE"),
    "#EXT-OATCLS",
)
"""Tags of the segment that follows; all others before the first segment are the playlist's own."""

_PLAIN_URI: Final = re.compile(
    r"(?P<origin>https?://[A-Za-z0-9.-]+(?::[0-9]+)?/)?"
    r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*"
    r"(?:\?[A-Za-z0-9_.~=&%/+-]+)?"
)
"""Without what joining would change: dot segments, and schemes other than http."""


@dataclass(frozen=True, slots=True)
class Segment:
    """``lines``: its tags and its URI, made absolute and otherwise unchanged."""

    lines: Sequence[str]
    duration_ms: int


@dataclass(frozen=True, slots=True)
class MediaPlaylist:
    """
    ``head``: the playlist's own tags. ``sequence``: the number of its first segment. ``starts_ms``: where each segment
    begins, and the end. ``is_unbroken``: foreign segments cannot stand in between, because segments share an
    initialization section or begin where the one before ended.
    """

    head: Sequence[str]
    segments: Sequence[Segment]
    starts_ms: Sequence[int]
    tail: Sequence[str]
    sequence: int
    discontinuities: int
    target_s: int
    is_live: bool
    extension: str
    is_unbroken: bool
    started_at: datetime | None

    @property
    def duration_ms(self) -> int:
        return self.starts_ms[-1]


@dataclass(frozen=True, slots=True)
class AdSegments:
    """The segments of one ad: pairs of an absolute URI and a duration in ms. ``playlist_url``: of the ad alone."""

    segments: Sequence[tuple[str, int]]
    playlist_url: str

    @property
    def duration_ms(self) -> int:
        return sum(ms for _, ms in self.segments)


@dataclass(slots=True)
class PlacedBreak:
    """``before``: the number of the content segment before which it plays; -1: after the last one."""

    id: str
    before: int
    ads: Sequence[AdSegments] = field(default_factory=tuple)


def parse_media_playlist(text: str, url: str) -> MediaPlaylist:
    """
    Raises `NotStitchable` for what is no media playlist, is encrypted or exceeds the limits above. A playlist of the
    largest size takes half a second: call it in a thread.
    """
    if not text.startswith("#EXTM3U") or is_master(text):
        raise NotStitchable("no media playlist")
    reader = _Reader(url)
    for raw in lines_of(text)[1:]:
        line = raw.strip()
        if line and line != _END:
            reader.add(line)
    head, pending, segments = reader.head, reader.pending, reader.segments
    if not segments:
        raise NotStitchable("no segments")
    last = segments[-1].lines[-1].partition("?")[0]
    return MediaPlaylist(
        head=[line for line in head if not line.startswith((_SEQUENCE, _DISCONTINUITIES, _TARGET))],
        segments=segments,
        starts_ms=[0, *accumulate(one.duration_ms for one in segments)],
        tail=pending,
        sequence=_number(head, _SEQUENCE),
        discontinuities=_number(head, _DISCONTINUITIES),
        target_s=min(max(1, _number(head, _TARGET)), _MAX_SEGMENT_S),
        is_live=_END not in text,
        extension=last.rpartition(".")[2].lower() if "." in last.rpartition("/")[2] else "",
        is_unbroken=reader.is_unbroken,
        started_at=_started_at(segments),
    )


class _Reader:
    """Sorts the lines of a media playlist: its own tags, those of segments, and segments."""

    def __init__(self, url: str) -> None:
        self.head: list[str] = []
        self.pending: list[str] = []
        self.segments: list[Segment] = []
        self.is_unbroken = False
        self._url = url
        self._folder = f"{url.partition('?')[0].rpartition('/')[0]}/"
        self._duration_ms = -1
        self._chars = 0

    def add(self, line: str) -> None:
        if not line.startswith("#"):
            self._add_segment(line)
        elif line.startswith("#EXTINF:"):
            self._duration_ms = _milliseconds(line)
            self.pending.append(line)
        else:
            self._add_tag(line)

    def _add_tag(self, line: str) -> None:
        if line.startswith("#EXT-X-KEY:") and "METHOD=NONE" not in line:
            raise NotStitchable("encrypted")
        if line.startswith(("#EXT-X-PART", "#EXT-X-SKIP")):
            raise NotStitchable("low-latency or delta playlist")
        if line.startswith("#EXT-X-BYTERANGE") and "@" not in line:
            self.is_unbroken = True
        if line.startswith("#EXT-X-MAP"):
            self.is_unbroken = True
        line = with_absolute_addresses(self._url, line)
        self._count(line)
        begins = self.segments or self.pending or line.startswith(_SEGMENT_TAGS)
        is_own = not begins or line.startswith(_DISCONTINUITIES)
        (self.head if is_own else self.pending).append(line)

    def _add_segment(self, line: str) -> None:
        if self._duration_ms < 0:
            raise NotStitchable("a segment without a duration")
        uri = self._uri(line)
        self._count(uri)
        if len(self.segments) == MAX_SEGMENTS:
            raise NotStitchable("too many segments")
        self.segments.append(Segment((*self.pending, uri), self._duration_ms))
        self.pending, self._duration_ms = [], -1

    def _count(self, line: str) -> None:
        self._chars += len(line)
        if self._chars > MAX_CHARS:
            raise NotStitchable("its addresses are too long")

    def _uri(self, line: str) -> str:
        plain = _PLAIN_URI.fullmatch(line)
        if plain is None:
            return absolute(self._url, line)  # takes longer than all the rest
        return line if plain["origin"] else f"{self._folder}{line}"


def segment_at(playlist: MediaPlaylist, offset_ms: int) -> int:
    """The number of the segment whose start is nearest to *offset_ms* from the start of the playlist; -1: the end."""
    best = nearest_start(playlist, offset_ms)
    if best < len(playlist.segments):
        return playlist.sequence + best
    return playlist.sequence + best - 1 if playlist.is_live else -1


def nearest_start(playlist: MediaPlaylist, offset_ms: int) -> int:
    """The index of the segment whose start is nearest to *offset_ms*; the number of segments stands for the end."""
    starts = playlist.starts_ms
    after = bisect_left(starts, offset_ms)
    candidates = range(max(0, after - 1), min(after, len(playlist.segments)) + 1)
    return min(candidates, key=lambda number: abs(starts[number] - offset_ms))


def stitched(playlist: MediaPlaylist, breaks: Sequence[PlacedBreak]) -> str:
    """
    The playlist with the ads between discontinuities. Ads before segments that have left a live playlist count in its
    sequence numbers, so that these only grow.
    """
    first = playlist.sequence
    gone = [one for one in breaks if one.ads and 0 <= one.before < first]
    here: dict[int, list[AdSegments]] = {}
    for one in breaks:
        if one.ads and one not in gone:
            here.setdefault(one.before, []).extend(one.ads)
    sequence = first + sum(len(ad.segments) for one in gone for ad in one.ads)
    ads = [ad for one in breaks for ad in one.ads]
    target_s = max([playlist.target_s, *[round(ms / 1000) for ad in ads for _, ms in ad.segments]])
    lines = ["#EXTM3U", *playlist.head, f"{_TARGET}{target_s}", f"{_SEQUENCE}{sequence}"]
    discontinuities = playlist.discontinuities + sum(len(one.ads) + 1 for one in gone)
    if discontinuities:
        lines.append(f"{_DISCONTINUITIES}{discontinuities}")
    is_first = True
    for number, segment in enumerate(playlist.segments, first):
        placed = here.get(number)
        if placed is not None:
            lines += _lines_of(placed, is_first=is_first and number == 0)
            if _DISCONTINUITY not in segment.lines:
                lines.append(_DISCONTINUITY)
        lines += segment.lines
        is_first = False
    placed = here.get(-1)
    if placed is not None and not playlist.is_live:
        lines += _lines_of(placed, is_first=False)
    lines += playlist.tail
    if not playlist.is_live:
        lines.append(_END)
    return "\n".join(lines) + "\n"


def with_interstitials(playlist: MediaPlaylist, breaks: Sequence[PlacedBreak]) -> str:
    """
    The playlist with an `EXT-X-DATERANGE` of the class ``com.apple.hls.interstitial`` per ad (appendix D). It gets a
    date where it has none, because date ranges need one.
    """
    start = playlist.started_at or datetime(2020, 1, 1, tzinfo=UTC)
    lines = ["#EXTM3U", *playlist.head]
    lines += [f"{_TARGET}{playlist.target_s}", f"{_SEQUENCE}{playlist.sequence}"]
    if playlist.discontinuities:
        lines.append(f"{_DISCONTINUITIES}{playlist.discontinuities}")
    for one in breaks:
        is_end = one.before == -1
        place = len(playlist.segments) if is_end else one.before - playlist.sequence
        if not 0 <= place <= len(playlist.segments):
            continue
        at_ms = playlist.starts_ms[place]
        begins = start + timedelta(milliseconds=at_ms)
        lines += [
            f'#EXT-X-DATERANGE:ID="{_quoted(one.id)}-{number}",CLASS="com.apple.hls.interstitial",'
            f'START-DATE="{_iso(begins)}",DURATION={ad.duration_ms / 1000:.3f},'
            f'X-ASSET-URI="{ad.playlist_url}",X-RESUME-OFFSET=0'
            + (
                ',CUE="POST"'
                if is_end
                else ',CUE="PRE"'
                if at_ms == 0 and not playlist.is_live
                else ""
            )
            for number, ad in enumerate(one.ads, 1)
        ]
    if playlist.started_at is None:
        lines.append(f"{_DATE}{_iso(start)}")
    for segment in playlist.segments:
        lines += segment.lines
    lines += playlist.tail
    if not playlist.is_live:
        lines.append(_END)
    return "\n".join(lines) + "\n"


def ad_playlist(segments: Sequence[tuple[str, int]]) -> str:
    """The playlist of one ad alone, for interstitials."""
    target_s = max(ceil(ms / 1000) for _, ms in segments)
    lines = ["#EXTM3U", f"{_VERSION}3", f"{_TARGET}{target_s}", f"{_SEQUENCE}0"]
    lines += ["#EXT-X-PLAYLIST-TYPE:VOD", *_lines_of_ad(segments), _END]
    return "\n".join(lines) + "\n"


def _lines_of(ads: Sequence[AdSegments], *, is_first: bool) -> list[str]:
    lines: list[str] = []
    for ad in ads:
        if lines or not is_first:
            lines.append(_DISCONTINUITY)
        lines += _lines_of_ad(ad.segments)
    return lines


def _lines_of_ad(segments: Sequence[tuple[str, int]]) -> list[str]:
    return [line for uri, ms in segments for line in (f"#EXTINF:{ms / 1000:.3f},", uri)]


def _number(lines: Sequence[str], tag: str) -> int:
    for line in lines:
        if line.startswith(tag):
            try:
                found = int(line.removeprefix(tag))
            except ValueError:
                raise NotStitchable(f"{tag} has no number") from None
            if not 0 <= found <= _MAX_NUMBER:
                raise NotStitchable(f"{tag} is out of range")
            return found
    return 0


def _milliseconds(line: str) -> int:
    try:
        found = float(line[8:].partition(",")[0])
    except ValueError:
        raise NotStitchable("a duration that is no number") from None
    if not 0 <= found <= _MAX_SEGMENT_S:
        raise NotStitchable("a duration out of range")
    return round(found * 1000)


def _started_at(segments: Sequence[Segment]) -> datetime | None:
    for line in segments[0].lines:
        if line.startswith(_DATE):
            try:
                found = datetime.fromisoformat(line.removeprefix(_DATE)).astimezone(UTC)
            except (ValueError, OverflowError):
                raise NotStitchable("a date that is none") from None
            if found.year > _MAX_YEAR:
                raise NotStitchable("a date out of range")
            return found
    return None


def _quoted(text: str) -> str:
    return text.replace('"', "").replace("\n", "")


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
