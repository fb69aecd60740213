"""
Measures the loudness of content (EBU R128) in a process of its own with little memory, little time and no network:
content comes from anywhere, and decoders have faults.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Final

from common.service.child_process import run_module
from common.service.sandbox import confine, leave_network

MAX_SOUND_S: Final = 900
"""Longer content is measured by its first quarter of an hour."""
_MEMORY_BYTES: Final = 1 << 30
_CPU_S: Final = 60
_WALL_S: Final = 180.0
_AT_ONCE = asyncio.Semaphore(1)


async def measure_loudness(path: Path) -> float | None:
    """LUFS; None for what cannot be decoded, is silent, or takes too long. One file at a time, with low priority."""
    async with _AT_ONCE:
        with path.open("rb") as file:
            output = await run_module(
                "edge.audio.loudness",
                str(file.fileno()),
                wall_s=_WALL_S,
                descriptors=(file.fileno(),),
            )
    found = None if output is None else json.loads(output)
    return float(found) if found is not None else None


def main() -> None:
    """`python -m edge.audio.loudness FD`: prints the loudness of the file, or null. Not for interactive use."""
    os.nice(10)
    leave_network()
    confine(memory_bytes=_MEMORY_BYTES, cpu_s=_CPU_S, output_bytes=0)
    print(json.dumps(_measure(int(sys.argv[1]))))  # noqa: T201 - the parent process reads it


def _measure(descriptor: int) -> float | None:
    import av

    from common.service.loudness import LoudnessMeter

    with os.fdopen(descriptor, "rb") as file, av.open(file, mode="r") as container:
        sound = container.streams.audio[0]
        meter, samples = LoudnessMeter(sound), 0
        for packet in container.demux(sound):
            try:
                frames = packet.decode()
            except av.error.InvalidDataError:
                continue
            for frame in frames:
                meter.add(frame)
                samples += frame.samples
            if samples > MAX_SOUND_S * sound.codec_context.sample_rate:
                break
        return meter.lufs


if __name__ == "__main__":
    main()
