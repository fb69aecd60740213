"""
Puts ads into a file of frames: where each part of the result comes from. Nothing is decoded, and the content's frames
stay as they are; only the header frame of an MP3, which states the length of the file, is written anew.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from mmap import mmap
from typing import Final

from edge.audio import mp3
from edge.audio.adts import AdtsFrames
from edge.audio.mp3 import Mp3Frames

MAX_MOVE_MS: Final = 2000
"""A break moves at most so far to a frame before which the content can be resumed."""
_TOC_POINTS: Final = 100

Frames = Mp3Frames | AdtsFrames


@dataclass(frozen=True, slots=True)
class AdSound:
    """An ad in the frames of the content: all bytes of its rendition. ``number``: of the ad in its session."""

    number: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Part:
    """
    A run of bytes of the result, beginning at ``start``: ``body`` itself, or, where that is None, bytes of the content
    from ``content_start``. ``ad``: the number of the ad that they are; None for others.
    """

    start: int
    size_bytes: int
    body: bytes | None = None
    content_start: int = 0
    ad: int | None = None


@dataclass(frozen=True, slots=True)
class JoinedFile:
    parts: Sequence[Part]
    size_bytes: int
    empty_breaks: Sequence[int]
    """Breaks whose ads could not be put in."""

    def part_at(self, offset: int) -> int:
        """The number of the part that holds byte *offset*."""
        return bisect_right(self.parts, offset, key=lambda part: part.start) - 1


def join(
    content: mmap, frames: Frames, breaks: Sequence[tuple[int | None, Sequence[AdSound]]]
) -> JoinedFile:
    """
    Returns the parts of the file, and the numbers of the breaks that stay empty.

    *breaks*: pairs of a position in ms (None: the end) and the ads there, in any order.
    """
    places: list[tuple[int, bytes, Sequence[AdSound]]] = []
    empty = []
    for number, (offset_ms, ads) in enumerate(breaks):
        wanted = frames.count if offset_ms is None else frames.frame_at(offset_ms)
        place = _resumable(content, frames, wanted) if ads else None
        if place is None:
            empty.append(number)
        else:
            places.append((*place, ads))
    places.sort(key=lambda one: one[0])
    assembly = _Assembly()
    sound_start = frames.offsets[0]
    if isinstance(frames, Mp3Frames):
        assembly.add_content(0, frames.head_bytes)
        assembly.add(_header_frame(content, frames, places))
    else:
        assembly.add_content(0, sound_start)
    before = sound_start
    for at, bridge, ads in places:
        assembly.add_content(before, frames.offsets[at])
        before = frames.offsets[at]
        for ad in ads:
            assembly.add(ad.body, ad.number)
        assembly.add(bridge)
    assembly.add_content(before, len(content))
    return JoinedFile(assembly.parts, assembly.size_bytes, empty)


class _Assembly:
    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.size_bytes = 0

    def add(self, body: bytes, ad: int | None = None) -> None:
        if body:
            self.parts.append(Part(self.size_bytes, len(body), body, ad=ad))
            self.size_bytes += len(body)

    def add_content(self, start: int, end: int) -> None:
        if end > start:
            self.parts.append(Part(self.size_bytes, end - start, content_start=start))
            self.size_bytes += end - start


def _resumable(content: mmap, frames: Frames, wanted: int) -> tuple[int, bytes] | None:
    """
    The frame nearest to *wanted* before which the content can be resumed, and the bridge to it. None where there is
    none within `MAX_MOVE_MS`.
    """
    if isinstance(frames, AdtsFrames):
        return wanted, b""
    bridge = _bridge(content, frames, wanted)
    if bridge is not None:
        return wanted, bridge
    most = MAX_MOVE_MS * frames.shape.sample_rate_hz // frames.shape.samples_per_frame // 1000
    for distance in range(1, most + 1):
        for at in (wanted - distance, wanted + distance):
            if 0 <= at <= frames.count and not _needed(content, frames, at):
                return at, b""
    return None


def _bridge(content: mmap, frames: Mp3Frames, at: int) -> bytes | None:
    """The frame that carries what the frames from *at* refer to; empty where that is nothing; None: impossible."""
    needed = _needed(content, frames, at)
    if not needed:
        return b""
    reservoir = b""
    for number in range(at - 1, -1, -1):
        reservoir = mp3.main_data(_frame(content, frames, number), frames.shape) + reservoir
        if len(reservoir) >= needed:
            break
    if len(reservoir) < needed:
        return None
    try:
        return mp3.bridge_frame(_frame(content, frames, at), reservoir[-needed:], frames.shape)
    except ValueError:
        return None


def _needed(content: mmap, frames: Mp3Frames, at: int) -> int:
    if at in {0, frames.count}:
        return 0
    following = [
        _frame(content, frames, number) for number in range(at, min(at + 16, frames.count))
    ]
    return mp3.reservoir_needed(following, frames.shape)


def _frame(content: mmap, frames: Frames, number: int) -> bytes:
    return content[frames.offsets[number] : frames.offsets[number + 1]]


def _header_frame(
    content: mmap, frames: Mp3Frames, places: Sequence[tuple[int, bytes, Sequence[AdSound]]]
) -> bytes:
    """
    The Xing frame of the result: number of frames, of bytes, and where each hundredth of the time is found (Xing VBR
    header). The encoder's part, with delay and padding, is the content's own.
    """
    shape = frames.shape
    side = shape.side_info_bytes
    tag_at = mp3.lame_tag_at(frames.info, shape)
    tag = frames.info[tag_at : tag_at + mp3.LAME_TAG_BYTES] if tag_at is not None else b""
    fields_bytes = 4 + 4 + 4 + 4 + _TOC_POINTS + 4
    header, size = mp3.smallest_frame(
        _frame(content, frames, 0), 4 + side + fields_bytes + mp3.LAME_TAG_BYTES, shape
    )
    runs = _runs(frames, places, size)
    count, total = sum(n for n, _ in runs), sum(n for _, n in runs)
    body = b"".join(
        (
            b"Xing",
            (15 if tag else 7).to_bytes(4, "big"),
            (count - 1).to_bytes(4, "big"),
            total.to_bytes(4, "big"),
            _table_of_contents(runs, count, total),
            frames.info[tag_at - 4 : tag_at] if tag_at is not None else b"",
            tag,
        )
    )
    made = header + bytes(side) + body
    made += bytes(size - len(made))
    if not tag:
        return made
    end = 4 + side + len(body)
    patched = made[: end - 8] + total.to_bytes(4, "big") + made[end - 4 : end - 2]
    return patched + _crc16(patched[: end - 2]).to_bytes(2, "big") + made[end:]


def _runs(
    frames: Mp3Frames, places: Sequence[tuple[int, bytes, Sequence[AdSound]]], header_bytes: int
) -> list[tuple[int, int]]:
    """Pairs of frames and bytes, from the header frame to the last frame of sound."""
    runs = [(1, header_bytes)]
    borders = [0, *[at for at, _, _ in places], frames.count]
    for number, (first, last) in enumerate(pairwise(borders)):
        step = max(1, (last - first) // 64)
        for at in range(first, last, step):
            end = min(at + step, last)
            runs.append((end - at, frames.offsets[end] - frames.offsets[at]))
        if number < len(places):
            _, bridge, ads = places[number]
            runs += [(_count_frames(ad.body), len(ad.body)) for ad in ads]
            runs += [(1, len(bridge))] if bridge else []
    return runs


def _count_frames(body: bytes) -> int:
    found = mp3.find_frames(body)
    return 0 if found is None else found.count + bool(found.info)


def _table_of_contents(runs: Sequence[tuple[int, int]], count: int, total: int) -> bytes:
    points = bytearray()
    frames_before = bytes_before = 0
    remaining = iter(runs)
    frames_in, bytes_in = next(remaining)
    for point in range(_TOC_POINTS):
        wanted = point * count // _TOC_POINTS
        while frames_before + frames_in <= wanted:
            frames_before, bytes_before = frames_before + frames_in, bytes_before + bytes_in
            frames_in, bytes_in = next(remaining)
        at = bytes_before + bytes_in * (wanted - frames_before) // frames_in
        points.append(min(255, at * 256 // total))
    return bytes(points)


def _crc16(data: bytes) -> int:
    """CRC-16 of the LAME tag (polynomial 0x8005, reflected)."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc
