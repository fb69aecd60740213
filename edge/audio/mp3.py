"""
MPEG-1 layer III as a sequence of frames (ISO/IEC 11172-3), to cut and join without decoding.

A frame's main data may begin in earlier frames: ``main_data_begin`` counts the bytes back, at most 511. A frame can
therefore follow foreign frames only after a bridge: a silent frame whose main data are the bytes that it refers to.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from mmap import mmap
from typing import Final

SAMPLES_PER_FRAME: Final = 1152
SAMPLE_RATES: Final = (44_100, 48_000, 32_000)
_KBPS: Final = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_HEADER_BYTES: Final = 4
_CRC_BYTES: Final = 2
_SYNC: Final = 0xFF
_VERSION_1_LAYER_3: Final = 0xFA
"""Second byte without the protection bit: sync, MPEG-1, layer III."""
_MONO: Final = 0xC0
"""From here on, the fourth byte means one channel."""
_MAX_FRAME_BYTES: Final = 1_441
MAX_BACK_BYTES: Final = 511
_SIDE_INFO_BYTES: Final = {1: 17, 2: 32}
_GRANULES: Final = 2
_GRANULE_BITS: Final = 59
_GAIN_AT: Final = 21
"""Bits before ``global_gain`` in a granule's side information: ``part2_3_length`` and ``big_values``."""
GAIN_STEP_DB: Final = 1.5
"""One step of ``global_gain`` is a factor of 2^(1/4)."""
DECODER_DELAY_SAMPLES: Final = 529
LAME_TAG_BYTES: Final = 36


@dataclass(frozen=True, slots=True)
class Mp3Shape:
    """What frames must have in common to be joined."""

    sample_rate_hz: int
    channels: int

    @property
    def side_info_bytes(self) -> int:
        return _SIDE_INFO_BYTES[self.channels]


@dataclass(frozen=True, slots=True)
class Mp3Frames:
    """
    ``offsets``: of each frame of sound, and of the end of the last one. ``info``: the header frame (Xing or Info),
    which has no sound; empty where there is none. What stands before ``head_bytes`` and after the last offset are tags.
    """

    shape: Mp3Shape
    offsets: Sequence[int]
    head_bytes: int
    info: bytes

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def delay_samples(self) -> int:
        """Samples before the sound begins: those of the encoder, as its header frame states them, and the decoder's."""
        return find_encoder_delay(self.info, self.shape)

    @property
    def duration_ms(self) -> int:
        return self.count * SAMPLES_PER_FRAME * 1000 // self.shape.sample_rate_hz

    def frame_at(self, offset_ms: int) -> int:
        """The number of the frame that begins nearest to *offset_ms*; ``count`` for the end."""
        if not offset_ms:
            return 0
        sample = offset_ms * self.shape.sample_rate_hz // 1000 + self.delay_samples
        return min(self.count, (sample + SAMPLES_PER_FRAME // 2) // SAMPLES_PER_FRAME)


def find_frames(data: bytes | mmap) -> Mp3Frames | None:
    """None where *data* is not one sequence of MPEG-1 layer III frames of one shape, between tags."""
    head_bytes = id3_bytes(data)
    shape = _shape_at(data, head_bytes)
    if shape is None:
        return None
    offsets = array("Q")
    sizes, is_mono = _frame_sizes(shape.sample_rate_hz), shape.channels == 1
    at, end = head_bytes, len(data) - _HEADER_BYTES
    while at <= end and data[at] == _SYNC:
        size = sizes[data[at + 1] << 8 | data[at + 2]]
        if not size or (data[at + 3] >= _MONO) is not is_mono or at + size > len(data):
            break
        offsets.append(at)
        at += size
    if not offsets or not _is_trailer(data[at : at + 16], len(data) - at):
        return None
    offsets.append(at)
    info = _find_info(data[offsets[0] : offsets[1]], shape)
    sound = offsets[1:] if info else offsets
    return Mp3Frames(shape, sound, head_bytes, info) if len(sound) > 1 else None


def id3_bytes(data: bytes | mmap) -> int:
    """Length of the ID3v2 tags at the start of *data* (ID3v2.4, section 3.1)."""
    at = 0
    while data[at : at + 3] == b"ID3" and len(data) >= at + 10:
        size = 0
        for byte in data[at + 6 : at + 10]:
            size = size << 7 | byte & 0x7F
        has_footer = bool(data[at + 5] & 0x10)
        at += 10 + size + 10 * has_footer
    return at


def find_encoder_delay(info: bytes, shape: Mp3Shape) -> int:
    at = lame_tag_at(info, shape)
    if at is None:
        return 0
    return (info[at + 21] << 4 | info[at + 22] >> 4) + DECODER_DELAY_SAMPLES


def lame_tag_at(info: bytes, shape: Mp3Shape) -> int | None:
    """Where the encoder's part of a header frame begins; None where it has none."""
    at = _HEADER_BYTES + shape.side_info_bytes
    if not info or len(info) < at + 8:
        return None
    flags = info[at + 7]
    at += (
        8 + 4 * bool(flags & 1) + 4 * bool(flags & 2) + 100 * bool(flags & 4) + 4 * bool(flags & 8)
    )
    is_lame = info[at : at + 4] in {b"LAME", b"Lavc", b"Lavf"}
    return at if is_lame and len(info) >= at + LAME_TAG_BYTES else None


def back_bytes(frame: bytes) -> int:
    """``main_data_begin`` of a frame."""
    at = _side_info_at(frame)
    return frame[at] << 1 | frame[at + 1] >> 7


def main_data(frame: bytes, shape: Mp3Shape) -> bytes:
    """The bytes of a frame after its header and side information."""
    return frame[_side_info_at(frame) + shape.side_info_bytes :]


def reservoir_needed(following: Sequence[bytes], shape: Mp3Shape) -> int:
    """The bytes of main data before *following* to which its frames refer; enough frames are those of 511 bytes."""
    needed = have = 0
    for frame in following:
        needed = max(needed, back_bytes(frame) - have)
        have += len(main_data(frame, shape))
        if have >= MAX_BACK_BYTES:
            break
    return max(0, needed)


def bridge_frame(like: bytes, reservoir: bytes, shape: Mp3Shape) -> bytes:
    """A silent frame whose main data end with *reservoir*, in the channel mode of the frame *like*."""
    body_bytes = shape.side_info_bytes + len(reservoir)
    header, size = smallest_frame(like, _HEADER_BYTES + body_bytes, shape)
    silence = bytes(size - _HEADER_BYTES - len(reservoir))
    return header + silence + reservoir


def smallest_frame(like: bytes, min_bytes: int, shape: Mp3Shape) -> tuple[bytes, int]:
    """The header of a frame without CRC of at least *min_bytes*, and its size. Raises ValueError beyond 320 kbit/s."""
    rate_index = SAMPLE_RATES.index(shape.sample_rate_hz)
    for index, kbps in enumerate(_KBPS):
        size = 144_000 * kbps // shape.sample_rate_hz
        if kbps and size >= min_bytes:
            second = _VERSION_1_LAYER_3 | 1
            return bytes((_SYNC, second, index << 4 | rate_index << 2, like[3])), size
    raise ValueError("no frame is that large")


def change_gain(frame: bytes, steps: int, shape: Mp3Shape) -> bytes:
    """The frame louder by *steps* of 1.5 dB; its other bits stay. Frames with a CRC are returned as they are."""
    if not frame[1] & 1:
        return frame
    head = _HEADER_BYTES
    side = int.from_bytes(frame[head : head + shape.side_info_bytes], "big")
    total = shape.side_info_bytes * 8
    first = 9 + (5 if shape.channels == 1 else 3) + 4 * shape.channels
    for number in range(_GRANULES * shape.channels):
        shift = total - first - number * _GRANULE_BITS - _GAIN_AT - 8
        gain = side >> shift & 0xFF
        if gain:  # 0: a silent granule
            side += (min(255, max(1, gain + steps)) - gain) << shift
    return (
        frame[:head]
        + side.to_bytes(shape.side_info_bytes, "big")
        + frame[head + shape.side_info_bytes :]
    )


def _side_info_at(frame: bytes) -> int:
    return _HEADER_BYTES + (0 if frame[1] & 1 else _CRC_BYTES)


def _shape_at(data: bytes | mmap, at: int) -> Mp3Shape | None:
    if (
        len(data) < at + _HEADER_BYTES
        or data[at] != _SYNC
        or data[at + 1] & 0xFE != _VERSION_1_LAYER_3
    ):
        return None
    rate_index = data[at + 2] >> 2 & 3
    if rate_index >= len(SAMPLE_RATES):
        return None
    return Mp3Shape(SAMPLE_RATES[rate_index], 1 if data[at + 3] >= _MONO else 2)


@lru_cache(maxsize=4)
def _frame_sizes(sample_rate_hz: int) -> list[int]:
    """Size in bytes by the second and third byte of a frame's header; 0 where they belong to another shape."""
    sizes = [0] * 65_536
    rate_index = SAMPLE_RATES.index(sample_rate_hz)
    for second in (_VERSION_1_LAYER_3, _VERSION_1_LAYER_3 | 1):
        for third in range(256):
            kbps_index = third >> 4
            if third >> 2 & 3 == rate_index and 0 < kbps_index < len(_KBPS):
                padding = third >> 1 & 1
                sizes[second << 8 | third] = 144_000 * _KBPS[kbps_index] // sample_rate_hz + padding
    return sizes


def _find_info(frame: bytes, shape: Mp3Shape) -> bytes:
    at = _HEADER_BYTES + shape.side_info_bytes
    is_info = frame[at : at + 4] in {b"Xing", b"Info"} or frame[36:40] == b"VBRI"
    return frame if is_info else b""


def _is_trailer(head: bytes, left_bytes: int) -> bool:
    """Whether what follows the last frame is nothing, a tag, or less than a frame that was cut off."""
    if left_bytes == 0 or head.startswith((b"TAG", b"APETAGEX", b"LYRICSBEGIN", b"ID3")):
        return True
    return (head[:1] == b"\xff" and left_bytes < _MAX_FRAME_BYTES) or not head.strip(b"\0")
