"""AAC-LC in ADTS as a sequence of frames (ISO/IEC 13818-7, 6.2). Each frame is decodable on its own."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import mmap
from typing import Final

from edge.audio.mp3 import id3_bytes

SAMPLES_PER_FRAME: Final = 1024
_SAMPLE_RATES: Final = (
    *(96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050),
    *(16_000, 12_000, 11_025, 8_000, 7_350),
)
_HEADER_BYTES: Final = 7
_LOW_COMPLEXITY: Final = 1
_SYNC: Final = 0xFF
_LAYER: Final = 0xF0
"""Second byte of a frame without the bits of version and protection."""


@dataclass(frozen=True, slots=True)
class AdtsFrames:
    """``offsets``: of each frame, and of the end of the last one."""

    sample_rate_hz: int
    channels: int
    offsets: Sequence[int]
    head_bytes: int

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def duration_ms(self) -> int:
        return self.count * SAMPLES_PER_FRAME * 1000 // self.sample_rate_hz

    def frame_at(self, offset_ms: int) -> int:
        """The number of the frame that begins nearest to *offset_ms*; ``count`` for the end."""
        sample = offset_ms * self.sample_rate_hz // 1000
        return min(self.count, (sample + SAMPLES_PER_FRAME // 2) // SAMPLES_PER_FRAME)


def find_adts_frames(data: bytes | mmap) -> AdtsFrames | None:
    """None where *data* is not one sequence of AAC-LC frames with one rate and one or two channels."""
    head_bytes = at = id3_bytes(data)
    if len(data) < at + _HEADER_BYTES or data[at] != _SYNC or data[at + 1] & 0xF6 != _LAYER:
        return None
    rate_index, channels = data[at + 2] >> 2 & 15, (data[at + 2] & 1) << 2 | data[at + 3] >> 6
    is_plain = data[at + 2] >> 6 == _LOW_COMPLEXITY and channels in {1, 2}
    if not is_plain or rate_index >= len(_SAMPLE_RATES):
        return None
    second, third, fourth = data[at + 1], data[at + 2] & 0xFD, data[at + 3] & 0xC0
    offsets = array("Q")
    end = len(data) - _HEADER_BYTES
    while at <= end and data[at] == _SYNC and data[at + 1] == second:
        size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        is_same = data[at + 2] & 0xFD == third and data[at + 3] & 0xC0 == fourth
        if size <= _HEADER_BYTES or not is_same or at + size > len(data):
            break
        offsets.append(at)
        at += size
    tail = data[at : at + 3]
    if not offsets or (at < len(data) and tail not in {b"TAG", b"ID3"}):
        return None
    offsets.append(at)
    return AdtsFrames(_SAMPLE_RATES[rate_index], channels, offsets, head_bytes)
