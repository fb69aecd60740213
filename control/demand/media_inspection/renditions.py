"""
Renditions of an uploaded sound that edges can put into content without encoding anything.

MP3 without bit reservoir, so that each frame stands alone, at one loudness: edges change its gain by frame. AAC-LC as
ADTS at several loudness levels, because its gain cannot be changed without decoding. MPEG-TS for HLS, in segments.
"""

import io
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, BinaryIO, Final

import av
import av.filter

from common.decision.rules.ad_limits import MAX_STITCHED_MS
from common.service.rendition_pack import Rendition, build_pack
from control.demand.media_inspection.streams import DEMUXERS, inspect_stream

MP3_LUFS: Final = -16.0
AAC_LUFS: Final = (-14.0, -17.0, -20.0, -23.0)
TS_LUFS: Final = -17.0
_PEAK: Final = 0.89
"""-1 dBFS, the true peak that EBU R128 s2 advises for lossy distribution."""
_MP3: Final = (
    *((44_100, 2, 128), (48_000, 2, 128), (44_100, 1, 64), (48_000, 1, 64)),
    *((22_050, 2, 64), (24_000, 2, 64), (22_050, 1, 32), (24_000, 1, 32)),
)
"""Sample rate, channels, kbit/s. The lower rates are those of speech, in MPEG-2."""
_AAC: Final = ((44_100, 2, 128), (48_000, 2, 128), (44_100, 1, 64))
"""No lower rates: an ADTS header at 24 kHz does not state whether the content is HE-AAC, which plays at 48 kHz."""
_MPEG_1_MIN_HZ: Final = 32_000
_TS: Final = (44_100, 2, 128)
_SEGMENT_S: Final = 6.0
_LAYOUTS: Final = {1: "mono", 2: "stereo"}


def inspect_and_encode(
    source: BinaryIO, target: BinaryIO, container: str, *, kind: str
) -> dict[str, Any]:
    """The facts of a sound or film, as of `inspect_stream`; of a sound, too, which renditions *target* has now."""
    facts = inspect_stream(source, container, kind)
    if kind == "audio":
        facts["media"]["renditions"] = _write_renditions(source, target, container, facts)
    return facts


def _write_renditions(
    source: BinaryIO, target: BinaryIO, container: str, facts: dict[str, Any]
) -> list[str]:
    """A sound that cannot be encoded again is still a good asset; it is only never put into content."""
    try:
        pack = encode_renditions(
            source,
            DEMUXERS[container],
            duration_ms=facts["duration_ms"],
            lufs=facts["media"]["loudness_lufs"],
        )
    except (av.error.FFmpegError, MemoryError, ValueError):
        return []
    target.write(pack or b"")
    return describe(pack)


def encode_renditions(
    source: BinaryIO, demuxer: str, *, duration_ms: int, lufs: float | None
) -> bytes | None:
    """
    *lufs*: measured of *source*; None keeps its level, for a sound that is silent or too short to be measured. Returns
    the pack; None for a sound that is longer than `MAX_STITCHED_MS`.
    """
    if not 0 < duration_ms <= MAX_STITCHED_MS:
        return None
    encoded = []
    for rate, channels, kbps in _MP3:
        body = _encode(
            source, demuxer, "libmp3lame", (rate, channels, kbps), _gain_db(lufs, MP3_LUFS)
        )
        encoded.append((_rendition("mp3", (rate, channels, kbps), MP3_LUFS), body))
    for level in AAC_LUFS:
        for rate, channels, kbps in _AAC:
            body = _encode(source, demuxer, "aac", (rate, channels, kbps), _gain_db(lufs, level))
            encoded.append((_rendition("aac", (rate, channels, kbps), level), body))
            if (rate, channels, kbps) == _TS and level == TS_LUFS:
                stream, segments = _as_transport_stream(body)
                encoded.append((_rendition("ts", _TS, level, segments), stream))
    return build_pack(duration_ms, encoded)


def describe(pack: bytes | None) -> list[str]:
    """What the API shows of a pack."""
    if pack is None:
        return []
    return [
        *[f"mp3 {rate} Hz {_LAYOUTS[channels]} {kbps} kbit/s" for rate, channels, kbps in _MP3],
        *[f"aac {rate} Hz {_LAYOUTS[channels]} {kbps} kbit/s" for rate, channels, kbps in _AAC],
        f"hls {_TS[0]} Hz {_LAYOUTS[_TS[1]]} {_TS[2]} kbit/s",
    ]


def _gain_db(lufs: float | None, level: float) -> float:
    return 0.0 if lufs is None else level - lufs


def _rendition(
    codec: str,
    shape: tuple[int, int, int],
    level: float,
    segments: list[tuple[int, int]] | None = None,
) -> Rendition:
    return Rendition(codec, *shape, level, 0, 0, segments or [])


def _encode(
    source: BinaryIO, demuxer: str, codec: str, shape: tuple[int, int, int], gain_db: float
) -> bytes:
    rate, channels, kbps = shape
    form, options = (
        ("mp3", {"write_xing": "0", "id3v2_version": "0"}) if codec != "aac" else ("adts", {})
    )
    target = io.BytesIO()
    source.seek(0)
    with (
        av.open(source, mode="r", format=demuxer) as reading,
        av.open(target, mode="w", format=form, options=options) as writing,
    ):
        stream: Any = writing.add_stream(
            codec, rate=rate, options={"reservoir": "0"} if codec == "libmp3lame" else {}
        )
        stream.codec_context.layout = _LAYOUTS[channels]
        stream.codec_context.bit_rate = kbps * 1000
        sample_format = "s16p" if codec == "libmp3lame" else "fltp"
        stream.codec_context.format = sample_format
        for frame in _leveled(reading, gain_db, rate, _LAYOUTS[channels], sample_format):
            writing.mux(stream.encode(frame))
        writing.mux(stream.encode(None))
    return target.getvalue()


def _leveled(
    reading: Any, gain_db: float, rate: int, layout: str, sample_format: str
) -> Iterator[Any]:
    """The sound in the requested format, louder by *gain_db*, with its peaks limited."""
    sound = reading.streams.audio[0]
    graph: Any = av.filter.Graph()
    first = graph.add_abuffer(template=sound, time_base=sound.time_base)
    chain = [
        graph.add("aresample", str(rate)),
        graph.add("volume", f"{gain_db}dB"),
        graph.add("alimiter", f"limit={_PEAK}:level=0"),
        graph.add(
            "aformat", f"sample_fmts={sample_format}:channel_layouts={layout}:sample_rates={rate}"
        ),
        graph.add("asetnsamples", f"n={_frame_samples(sample_format, rate)}:p=0"),
        graph.add("abuffersink"),
    ]
    before = first
    for one in chain:
        before.link_to(one)
        before = one
    graph.configure()
    samples = 0
    for frame in (*_decoded(reading, sound), None):
        first.push(frame)
        while True:
            try:
                found = chain[-1].pull()
            except (av.error.BlockingIOError, EOFError):
                break
            found.pts, found.time_base = samples, Fraction(1, rate)
            samples += found.samples
            yield found


def _frame_samples(sample_format: str, rate: int) -> int:
    """Of a frame of AAC, or of MP3 in MPEG-1 and MPEG-2."""
    if sample_format == "fltp":
        return 1024
    return 1152 if rate >= _MPEG_1_MIN_HZ else 576


def _decoded(reading: Any, sound: Any) -> Iterator[Any]:
    for packet in reading.demux(sound):
        try:
            yield from packet.decode()
        except av.error.InvalidDataError:
            continue  # counted while the file was inspected


def _as_transport_stream(adts: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Whole PES packets, each after the tables of the stream, so that a segment may begin at any of them."""
    target = io.BytesIO()
    segments: list[tuple[int, int]] = []
    options = {"mpegts_flags": "pat_pmt_at_frames", "pes_payload_size": "0", "flush_packets": "1"}
    with (
        av.open(io.BytesIO(adts), mode="r", format="aac") as reading,
        av.open(target, mode="w", format="mpegts", options=options) as writing,
    ):
        sound = reading.streams.audio[0]
        stream = writing.add_stream_from_template(sound)
        begun_bytes, frames, rate = 0, 0, sound.codec_context.sample_rate
        for packet in reading.demux(sound):
            if packet.dts is None:
                continue
            if frames * 1024 >= _SEGMENT_S * rate:
                segments.append((target.tell() - begun_bytes, frames * 1024 * 1000 // rate))
                begun_bytes, frames = target.tell(), 0
            packet.stream = stream
            writing.mux(packet)
            frames += 1
    size = len(target.getvalue())
    segments.append((size - begun_bytes, frames * 1024 * 1000 // rate))
    return target.getvalue(), segments
