"""
MPEG-1 and MPEG-2 layer III as a sequence of frames (ISO/IEC 11172-3 and 13818-3), to cut and join without decoding.

A frame's main data may begin in earlier frames: ``main_data_begin`` counts the bytes back, at most 511. A frame can
therefore follow foreign frames only after a bridge: a silent frame whose main data are the bytes that it refers to.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from mmap import mmap
from typing import Final

_SAMPLE_RATES_1: Final = (44_100, 48_000, 32_000)
_SAMPLE_RATES_2: Final = (22_050, 24_000, 16_000)
"""Of MPEG-1 and MPEG-2, by their index in a frame's header."""
_KBPS_1: Final = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBPS_2: Final = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_HEADER_BYTES: Final = 4
_CRC_BYTES: Final = 2
_SYNC: Final = 0xFF
_VERSION_1_LAYER_3: Final = 0xFA
_VERSION_2_LAYER_3: Final = 0xF2
"""Second byte without the protection bit: sync, version, layer III."""
_IS_VERSION_1: Final = 0x08
"""The bit of the second byte in which the versions differ."""
_MONO: Final = 0xC0
"""From here on, the fourth byte means one channel."""
_MAX_FRAME_BYTES: Final = 1_441
MAX_BACK_BYTES: Final = 511
_GRANULE_SAMPLES: Final = 576
_GAIN_AT: Final = 21
"""Bits before ``global_gain`` in a granule's side information: ``part2_3_length`` and ``big_values``."""
GAIN_STEP_DB: Final = 1.5
"""One step of ``global_gain`` is a factor of 2^(1/4)."""
DECODER_DELAY_SAMPLES: Final = 529
LAME_TAG_BYTES: Final = 36
_MAX_TAGS: Final = 16
"""Before the first frame; after more tags, the data is not taken for sound."""


@dataclass(frozen=True, slots=True)
class Mp3Shape:
    """What frames must have in common to be joined."""

    sample_rate_hz: int
    channels: int

    @property
    def is_version_1(self) -> bool:
        """MPEG-1; else MPEG-2, whose frames have one granule."""
        return self.sample_rate_hz in _SAMPLE_RATES_1

    @property
    def granules(self) -> int:
        return 2 if self.is_version_1 else 1

    @property
    def samples_per_frame(self) -> int:
        return self.granules * _GRANULE_SAMPLES

    @property
    def side_info_bytes(self) -> int:
        if self.is_version_1:
            return 17 if self.channels == 1 else 32
        return 9 if self.channels == 1 else 17

    @property
    def granule_bits(self) -> int:
        """Bits of a granule's side information, for one channel."""
        return 59 if self.is_version_1 else 63

    @property
    def bits_before_granules(self) -> int:
        """``main_data_begin``, private bits and, in MPEG-1, ``scfsi``."""
        if self.is_version_1:
            return 9 + (5 if self.channels == 1 else 3) + 4 * self.channels
        return 8 + self.channels

    @property
    def second_byte(self) -> int:
        """Of a frame's header, without the protection bit."""
        return _VERSION_1_LAYER_3 if self.is_version_1 else _VERSION_2_LAYER_3

    @property
    def rate_index(self) -> int:
        rates = _SAMPLE_RATES_1 if self.is_version_1 else _SAMPLE_RATES_2
        return rates.index(self.sample_rate_hz)

    def frame_bytes(self, kbps_index: int) -> int:
        """Of a frame without padding; 0 where the index is none of a bitrate."""
        table = _KBPS_1 if self.is_version_1 else _KBPS_2
        if not 0 < kbps_index < len(table):
            return 0
        return self.samples_per_frame * 125 * table[kbps_index] // self.sample_rate_hz


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
        return self.count * self.shape.samples_per_frame * 1000 // self.shape.sample_rate_hz

    def frame_at(self, offset_ms: int) -> int:
        """The number of the frame that begins nearest to *offset_ms*; ``count`` for the end."""
        if not offset_ms:
            return 0
        sample = offset_ms * self.shape.sample_rate_hz // 1000 + self.delay_samples
        samples = self.shape.samples_per_frame
        return min(self.count, (sample + samples // 2) // samples)


def find_frames(data: bytes | mmap) -> Mp3Frames | None:
    """None where *data* is not one sequence of layer III frames of one shape, between tags."""
    head_bytes = id3_bytes(data)
    shape = _shape_at(data, head_bytes)
    if shape is None:
        return None
    offsets = array("Q")
    sizes, is_mono = _frame_sizes(shape), shape.channels == 1
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
    for _ in range(_MAX_TAGS):
        if data[at : at + 3] != b"ID3" or len(data) < at + 10:
            break
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
    return frame[at] << 1 | frame[at + 1] >> 7 if frame[1] & _IS_VERSION_1 else frame[at]


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
    """Header and size of a frame of at least *min_bytes*, without CRC. Raises ValueError where none is that large."""
    for index in range(len(_KBPS_1)):
        size = shape.frame_bytes(index)
        if size >= min_bytes:
            third = index << 4 | shape.rate_index << 2
            return bytes((_SYNC, shape.second_byte | 1, third, like[3])), size
    raise ValueError("no frame is that large")


def change_gain(frame: bytes, steps: int, shape: Mp3Shape) -> bytes:
    """The frame louder by *steps* of 1.5 dB; its other bits stay. Frames with a CRC are returned as they are."""
    if not frame[1] & 1:
        return frame
    head = _HEADER_BYTES
    side = int.from_bytes(frame[head : head + shape.side_info_bytes], "big")
    total = shape.side_info_bytes * 8
    first, bits = shape.bits_before_granules, shape.granule_bits
    for number in range(shape.granules * shape.channels):
        shift = total - first - number * bits - _GAIN_AT - 8
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
    if len(data) < at + _HEADER_BYTES or data[at] != _SYNC:
        return None
    version = data[at + 1] & 0xFE
    if version not in {_VERSION_1_LAYER_3, _VERSION_2_LAYER_3}:
        return None
    rates = _SAMPLE_RATES_1 if version == _VERSION_1_LAYER_3 else _SAMPLE_RATES_2
    rate_index = data[at + 2] >> 2 & 3
    if rate_index >= len(rates):
        return None
    return Mp3Shape(rates[rate_index], 1 if data[at + 3] >= _MONO else 2)


@lru_cache(maxsize=12)
def _frame_sizes(shape: Mp3Shape) -> list[int]:
    """Size in bytes by the second and third byte of a frame's header; 0 where they belong to another shape."""
    sizes = [0] * 65_536
    for second in (shape.second_byte, shape.second_byte | 1):
        for third in range(256):
            size = shape.frame_bytes(third >> 4)
            if size and third >> 2 & 3 == shape.rate_index:
                sizes[second << 8 | third] = size + (third >> 1 & 1)
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
