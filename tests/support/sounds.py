"""Sounds made by the encoders that publishers use, and packs of renditions as uploads get them."""

import io
import subprocess
import wave
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import av.filter
from av.logging import WARNING, Capture

from common.service.asset_folder import object_name
from common.service.rendition_pack import EXTENSION
from control.demand.media_inspection.renditions import encode_renditions
from control.demand.media_inspection.streams import inspect_stream
from tests.support import npm

VBR = {"global_quality": str(3 * 118), "flags": "+qscale"}
"""LAME's variable bitrate, -V 3."""
NO_RESERVOIR = {"reservoir": "0"}
BARE = {"write_xing": "0", "id3v2_version": "0"}
"""MP3 without tags and without a header frame."""


@cache
def _a_sound(  # noqa: PLR0917 - the key of the cache
    form: str, codec: str, seconds: float, rate: int, layout: str, options: Any, muxer: Any
) -> bytes:
    target = io.BytesIO()
    sample_format, frame = ("s16p", 1152) if codec == "libmp3lame" else ("fltp", 1024)
    with av.open(target, "w", format=form, options=dict(muxer)) as container:
        stream: Any = container.add_stream(codec, rate=rate, options=dict(options))
        stream.codec_context.layout = layout
        graph: Any = av.filter.Graph()
        tones = "0.1*sin(2*PI*440*t)+0.05*sin(2*PI*(997+40*t)*t)*gt(mod(t,1),0.5)"
        chain = [
            graph.add("aevalsrc", f"{tones}:s={rate}:d={seconds}"),
            graph.add(
                "aformat",
                f"sample_fmts={sample_format}:channel_layouts={layout}:sample_rates={rate}",
            ),
            graph.add("asetnsamples", f"n={frame}:p=0"),
            graph.add("abuffersink"),
        ]
        for before, after in pairwise(chain):
            before.link_to(after)
        graph.configure()
        while True:
            try:
                found = chain[-1].pull()
            except EOFError:
                break
            container.mux(stream.encode(found))
        container.mux(stream.encode(None))
    return target.getvalue()


def an_mp3(
    seconds: float,
    *,
    rate: int = 44_100,
    layout: str = "stereo",
    options: dict[str, str] | None = None,
    muxer: dict[str, str] | None = None,
) -> bytes:
    """By LAME, at a constant 128 kbit/s with bit reservoir unless *options* say otherwise."""
    chosen = tuple((options or {}).items()), tuple((muxer or {}).items())
    return _a_sound("mp3", "libmp3lame", seconds, rate, layout, *chosen)


def an_adts(seconds: float, *, rate: int = 44_100) -> bytes:
    return _a_sound("adts", "aac", seconds, rate, "stereo", (), ())


def a_transport_stream(seconds: float) -> bytes:
    return _a_sound("mpegts", "aac", seconds, 44_100, "stereo", (), ())


def silence(seconds: float) -> bytes:
    """A WAV file whose samples are all 0."""
    target = io.BytesIO()
    with wave.open(target, "wb") as written:
        written.setparams((1, 2, 44_100, 0, "NONE", ""))
        written.writeframes(bytes(2 * round(44_100 * seconds)))
    return target.getvalue()


@cache
def _a_pack(sound: bytes, form: str) -> bytes:
    facts = inspect_stream(io.BytesIO(sound), form, "audio")
    pack = encode_renditions(
        io.BytesIO(sound),
        form,
        duration_ms=facts["duration_ms"],
        lufs=facts["media"]["loudness_lufs"],
    )
    assert pack is not None
    return pack


def an_uploaded_sound(folder: Path, seconds: float, *, is_silent: bool = False) -> str:
    """Stores a sound and its renditions in the asset folder, and returns its object name."""
    sound, form = (silence(seconds), "wav") if is_silent else (an_mp3(seconds), "mp3")
    pack = _a_pack(sound, form)
    name = object_name(sha256(sound).digest(), form)
    for extension, body in ((form, sound), (EXTENSION, pack)):
        path = folder / f"{name.partition('.')[0]}.{extension}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return name


_STATIC = {"GCONV_PATH": "/nonexistent"}
"""A static program crashes when it loads this machine's tables of character sets."""


def decode(body: bytes, form: str) -> tuple[int, list[str]]:
    """Decodes all of *body*: its samples, and what libav and ffprobe warned of."""
    samples = 0
    with Capture(local=False) as logged, av.open(io.BytesIO(body), "r", format=form) as container:
        for frame in container.decode(audio=0):
            samples += frame.samples
    warnings = [text for level, _, text in logged if level <= WARNING]
    return samples, warnings + _warnings_of_ffprobe(body, form)


def _warnings_of_ffprobe(body: bytes, form: str) -> list[str]:
    [program] = npm.install(npm.JUDGES).glob("@ffprobe-installer/*/ffprobe")
    program.chmod(0o755)  # as its package's script would, and those are not run
    command = [str(program), "-v", "warning", "-f", form, "-count_frames", "-show_streams", "-"]
    done = subprocess.run(command, input=body, capture_output=True, check=True, env=_STATIC)
    assert b"nb_read_frames=" in done.stdout, done.stdout
    return done.stderr.decode().splitlines()
