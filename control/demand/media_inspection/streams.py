"""
Audio and video: every packet is read, and all audio and every key frame are decoded. So files that are truncated or
state false properties are found here, not in a user's player.
"""

from typing import Any, BinaryIO

import av
from PIL import Image

from common.service.loudness import LoudnessMeter
from common.values.messages import Message
from control.demand.media_inspection.files import FileRefused, find_promised_frames, looks_cut_off
from control.demand.media_inspection.small_pictures import (
    POSTER,
    THUMBNAIL,
    shows_something,
    small_picture,
)

MAX_DURATION_MS = 30 * 60 * 1000
MAX_EDGE = 4096
DEMUXERS = {
    "mp3": "mp3",
    "aac": "aac",
    "wav": "wav",
    "ogg": "ogg",
    "mp4": "mov",
    "webm": "matroska",
}
_SOUND = {
    "mp3": {"mp3"},
    "aac": {"aac"},
    "wav": {"pcm_s16le", "pcm_s24le"},
    "ogg": {"opus"},
    "mp4": {"aac"},
    "webm": {"opus", "vorbis"},
}
_FILM = {"mp4": {"h264"}, "webm": {"vp8", "vp9", "av1"}}
_EXTENSIONS = {"mp4": {"video": "mp4", "audio": "m4a"}}
_PLAYED_PIXELS = {"yuv420p", "yuvj420p"}
_ONE_AUDIO = Message("The file has more than one audio track. Send a file with one.")
_ONE_VIDEO = Message("The file has more than one video track. Send a file with one.")
_BROKEN_ALLOWED = 2
"""Packets: the first ones of a stream that was cut out of another may lack what they refer to."""
_MISSING_SHARE, _MISSING_S = 0.03, 0.5
_SOUGHT_FRAMES = 5
"""Key frames that are looked at for a picture of the video."""
_MP3_FRAME_SAMPLES = {True: 1152, False: 576}


class _Reading:
    """The state of reading one file."""

    def __init__(self, container: Any, kind: str) -> None:
        self.sound = _only(container.streams.audio, _ONE_AUDIO)
        films = [s for s in container.streams.video if not _is_cover(s)]
        self.film = _only(films, _ONE_VIDEO) if kind == "video" or films else None
        self.meter = LoudnessMeter(self.sound) if self.sound else None
        self.samples = 0
        self.film_ends_s = 0.0
        self.key_frames = 0
        self.broken = 0
        self.rotation = 0
        self.picture: Image.Image | None = None
        """The first key frame that shows something; where none does, the first."""
        self.sought = _SOUGHT_FRAMES

    @property
    def sound_s(self) -> float:
        return self.samples / (self.sound.codec_context.sample_rate or 1) if self.sound else 0.0

    @property
    def duration_s(self) -> float:
        return max(self.sound_s, self.film_ends_s)


def inspect_stream(source: BinaryIO, name: str, kind: str) -> dict[str, Any]:
    """*name*: the container. Raises `FileRefused`, and av's own errors for a file that cannot be read at all."""
    if looks_cut_off(source, name):
        raise _cut_off()
    size_bytes = source.seek(0, 2)
    source.seek(0)
    promised_frames = find_promised_frames(source.read(8192)) if name == "mp3" else None
    source.seek(0)
    with av.open(source, mode="r", format=DEMUXERS[name]) as container:
        reading = _Reading(container, kind)
        _check_codecs(reading, name, kind)
        promised_s = (container.duration or 0) / av.time_base
        _read(container, reading)
        if name in {"mp3", "aac"}:  # libavformat only estimates the duration of these
            promised_s = _promised_s(promised_frames, reading)
        _check_whole(reading, promised_s)
        return _facts(reading, name, kind, size_bytes)


def _only(streams: Any, refusal: Message) -> Any:
    if len(streams) > 1:
        raise FileRefused(refusal)
    return streams[0] if streams else None


def _is_cover(stream: Any) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _check_codecs(reading: _Reading, name: str, kind: str) -> None:
    if kind == "audio" and (reading.film is not None or reading.sound is None):
        raise FileRefused(
            Message("This is not an audio file. Upload a video with the kind `video`.")
        )
    if kind == "video" and reading.film is None:
        raise FileRefused(
            Message("The file has no video track. Upload audio with the kind `audio`.")
        )
    for stream, allowed in ((reading.sound, _SOUND[name]), (reading.film, _FILM.get(name, set()))):
        if stream is None:
            continue
        codec = _codec_of(stream)
        if codec not in allowed:
            raise FileRefused(
                Message(
                    "Not every browser plays the codec {codec} in {container}. Use {allowed}.",
                    codec=codec,
                    container=name,
                    allowed=" or ".join(sorted(allowed)),
                )
            )
    if reading.film is not None:
        _check_picture(reading.film.codec_context)


def _check_picture(context: Any) -> None:
    if context.pix_fmt is not None and context.pix_fmt not in _PLAYED_PIXELS:
        raise FileRefused(
            Message(
                "Not every browser plays the pixel format {pixel_format}. Encode with 8 bits and "
                "4:2:0.",
                pixel_format=context.pix_fmt,
            )
        )
    if not 0 < max(context.width, context.height) <= MAX_EDGE:
        raise FileRefused(
            Message(
                "One side of the video has more than {max_pixels} pixels. Send a smaller one.",
                max_pixels=MAX_EDGE,
            )
        )


def _codec_of(stream: Any) -> str:
    try:
        return str(stream.codec_context.codec.canonical_name)
    except AttributeError:
        return "unknown"


def _read(container: Any, reading: _Reading) -> None:
    if reading.film is not None:
        reading.film.codec_context.skip_frame = "NONKEY"
    streams = [stream for stream in (reading.sound, reading.film) if stream is not None]
    for packet in container.demux(streams):
        try:
            _take(packet, reading)
        except av.error.InvalidDataError:
            reading.broken += 1
        if reading.duration_s * 1000 > MAX_DURATION_MS:
            raise FileRefused(
                Message(
                    "The recording is longer than {max_minutes} minutes. Send a shorter one.",
                    max_minutes=MAX_DURATION_MS // 60000,
                )
            )


def _take(packet: Any, reading: _Reading) -> None:
    if packet.stream is reading.film and packet.pts is not None:
        end = (packet.pts + (packet.duration or 0)) * packet.time_base
        reading.film_ends_s = max(reading.film_ends_s, float(end))
    for frame in packet.decode():
        if packet.stream is reading.film:
            reading.key_frames += 1
            reading.rotation = frame.rotation
            _consider(frame, reading)
        else:
            reading.samples += frame.samples
            if reading.meter is not None:
                reading.meter.add(frame)


def _consider(frame: Any, reading: _Reading) -> None:
    if not reading.sought:
        return
    reading.sought -= 1
    image = frame.to_image()
    image.thumbnail(POSTER)
    if shows_something(image):
        reading.sought = 0
    elif reading.picture is not None:
        return
    reading.picture = image.rotate(frame.rotation, expand=True)


def _promised_s(frames: int | None, reading: _Reading) -> float:
    """
    Duration by the header.
    An MPEG-1 frame of layer III has 1152 samples, an MPEG-2 one 576 (ISO 11172-3, 13818-3).
    """
    rate = reading.sound.codec_context.sample_rate if reading.sound else 0
    if frames is None or not rate:
        return 0.0
    return frames * _MP3_FRAME_SAMPLES[rate >= 32_000] / float(rate)  # noqa: PLR2004 - the lowest rate of MPEG-1


def _check_whole(reading: _Reading, promised_s: float) -> None:
    if reading.broken > _BROKEN_ALLOWED:
        raise FileRefused(
            Message(
                "{count} parts of the file cannot be decoded. Encode it again.",
                count=reading.broken,
            )
        )
    if reading.film is not None and not reading.key_frames:
        raise FileRefused(Message("The video has no frame that can be decoded. Encode it again."))
    if reading.sound is not None and not reading.samples:
        raise FileRefused(Message("The file has no audio that can be decoded. Encode it again."))
    if reading.duration_s < promised_s * (1 - _MISSING_SHARE) - _MISSING_S:
        raise _cut_off()


def _cut_off() -> FileRefused:
    return FileRefused(
        Message("The file is incomplete: its header promises more. Send the complete file.")
    )


def _pictures(reading: _Reading) -> dict[str, str]:
    if reading.picture is None:
        return {}
    return {
        "thumbnail": small_picture(reading.picture, THUMBNAIL),
        "poster": small_picture(reading.picture, POSTER),
    }


def _facts(reading: _Reading, name: str, kind: str, size_bytes: int) -> dict[str, Any]:
    sound = reading.sound.codec_context if reading.sound else None
    film = reading.film.codec_context if reading.film else None
    width, height = (film.width, film.height) if film else (None, None)
    if reading.rotation % 180:
        width, height = height, width
    rate = reading.film.average_rate if reading.film else None
    duration_s = reading.duration_s
    return _pictures(reading) | {
        "extension": _EXTENSIONS.get(name, {}).get(kind, name),
        "width": width,
        "height": height,
        "duration_ms": round(duration_s * 1000),
        "media": {
            "container": name,
            "audio_codec": _codec_of(reading.sound) if sound else None,
            "video_codec": _codec_of(reading.film) if film else None,
            "bitrate_kbps": round(size_bytes * 8 / 1000 / duration_s) if duration_s else None,
            "sample_rate_hz": sound.sample_rate if sound else None,
            "channels": sound.channels if sound else None,
            "fps": round(float(rate), 3) if rate else None,
            "loudness_lufs": reading.meter.lufs if reading.meter else None,
        },
    }
