"""Integrated loudness by EBU R128 (ITU-R BS.1770-4), measured by libavfilter while the audio is decoded anyway."""

import math
from typing import Any

import av
import av.filter

_KEY = "lavfi.r128.I"
_SILENCE_LUFS = -69.9
"""The gate of BS.1770 is at -70: anything at that level was not audible."""


class LoudnessMeter:
    """Takes the frames of one stream, in order. A stream that the filter cannot process has no loudness."""

    def __init__(self, stream: Any) -> None:
        self._latest: str | None = None
        self._graph: Any = av.filter.Graph()
        self._source = self._graph.add_abuffer(template=stream, time_base=stream.time_base)
        meter = self._graph.add("ebur128", "metadata=1")
        self._sink = self._graph.add("abuffersink")
        self._source.link_to(meter)
        meter.link_to(self._sink)
        self._graph.configure()

    def add(self, frame: Any) -> None:
        try:
            self._source.push(frame)
            while True:
                self._latest = self._sink.pull().metadata.get(_KEY, self._latest)
        except (av.error.BlockingIOError, EOFError):
            pass  # the filter needs more frames

    @property
    def lufs(self) -> float | None:
        """Rounded to a tenth; None for silence, and for less than the 400 ms of one block."""
        if self._latest is None:
            return None
        found = float(self._latest)
        return round(found, 1) if math.isfinite(found) and found > _SILENCE_LUFS else None
