"""Small real files, made anew by the libraries that also read them."""

import io
import math
import struct
from fractions import Fraction
from functools import cache
from typing import Any

import av
from PIL import Image

HTML = b"<!doctype html>\n<title>Spring</title><p>Sale</p>"


def an_image(form: str = "PNG", size: tuple[int, int] = (64, 48), **options: Any) -> bytes:
    """A picture with a gradient, so that codecs have something to do."""
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    target = io.BytesIO()
    image.save(target, format=form, **options)
    return target.getvalue()


def an_animation(form: str = "GIF", frames: int = 3) -> bytes:
    pictures = [Image.new("RGB", (32, 24), (i * 80 % 256, 20, 90)) for i in range(frames)]
    target = io.BytesIO()
    pictures[0].save(
        target, format=form, save_all=True, append_images=pictures[1:], duration=80, loop=0
    )
    return target.getvalue()


@cache
def a_sound(
    form: str = "mp3", codec: str = "libmp3lame", *, seconds: float = 1.0, level: float = 0.3
) -> bytes:
    """A tone of 1 kHz."""
    target = io.BytesIO()
    with av.open(target, "w", format=form) as container:
        _add_tone(container, codec, seconds, level)
    return target.getvalue()


@cache
def a_film(
    form: str = "mp4",
    codec: str = "libx264",
    sound_codec: str | None = "aac",
    *,
    seconds: float = 1.0,
) -> bytes:
    target = io.BytesIO()
    with av.open(target, "w", format=form) as container:
        stream: Any = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        tone = _tone_stream(container, sound_codec) if sound_codec else None
        for number in range(int(25 * seconds)):
            shade = Image.new("RGB", (160, 120), (number * 9 % 256, 80, 160))
            frame: Any = av.VideoFrame.from_image(shade)  # type: ignore[no-untyped-call]  # av's, untyped
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if tone is not None:
            _fill_tone(container, tone, seconds, 0.3)
    return target.getvalue()


def a_film_taken_sideways() -> bytes:
    """Two black pictures, then one that is white in its upper half once a player has turned it clockwise."""
    target = io.BytesIO()
    scene = Image.new("RGB", (160, 120))
    scene.paste("white", (0, 0, 80, 120))
    with av.open(target, "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264", rate=25, options={"g": "1"})
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        for picture in (Image.new("RGB", (160, 120)), Image.new("RGB", (160, 120)), scene):
            frame: Any = av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]  # av's, untyped
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    film = bytearray(target.getvalue())
    matrix = film.index(b"tkhd") + 44
    film[matrix : matrix + 36] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30)
    return bytes(film)


def _add_tone(container: Any, codec: str, seconds: float, level: float) -> None:
    _fill_tone(container, _tone_stream(container, codec), seconds, level)


def _tone_stream(container: Any, codec: str) -> Any:
    rate = 48_000 if codec == "libopus" else 44_100
    return container.add_stream(codec, rate=rate, layout="stereo")


def _fill_tone(container: Any, stream: Any, seconds: float, level: float) -> None:
    rate, total, done = stream.rate, int(seconds * stream.rate), 0
    while done < total:
        count = min(1024, total - done)
        frame = av.AudioFrame(format="s16", layout="stereo", samples=count)
        values = (
            int(32_767 * level * math.sin(2 * math.pi * 1000 * (done + i) / rate))
            for i in range(count)
        )
        data = b"".join(struct.pack("<hh", value, value) for value in values)
        frame.planes[0].update(data.ljust(frame.planes[0].buffer_size, b"\0"))
        frame.sample_rate, frame.pts, frame.time_base = rate, done, Fraction(1, rate)
        done += count
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
