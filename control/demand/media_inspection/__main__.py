"""
`python -m control.demand.media_inspection JOB`: inspect one file, whose descriptor is inherited, and print the result
as JSON.

JOB is the JSON object that `control.demand.assets.inspection` passes. Not for interactive use.
"""

import json
import os
import sys
from typing import Any, BinaryIO

import av

from common.service.sandbox import confine, leave_network
from common.values.messages import Message
from control.demand.media_inspection.files import FileRefused
from control.demand.media_inspection.images import inspect_image
from control.demand.media_inspection.renditions import describe, encode_renditions
from control.demand.media_inspection.streams import DEMUXERS, inspect_stream

_UNREADABLE = Message(
    "The file is damaged, or not of the type it claims. Export it again and send the new file."
)
_TOO_LARGE = Message("The file needs too much memory to be decoded. Send a smaller one.")


def main() -> None:
    """Exits with 0 and prints a line of JSON, unless the kernel kills it first: then nothing is printed."""
    job = json.loads(sys.argv[1])
    leave_network()  # first: whatever the file does to a decoder, nothing leaves the machine
    confine(memory_bytes=job["memory_bytes"], cpu_s=job["cpu_s"], output_bytes=job["output_bytes"])
    print(json.dumps(_inspect(job)))  # noqa: T201 - the parent process reads the result from stdout


def _inspect(job: dict[str, Any]) -> dict[str, Any]:
    source = os.fdopen(job["source"], "rb")
    target = os.fdopen(job["target"], "w+b")
    source.seek(0)
    try:
        if job["kind"] == "image":
            facts = inspect_image(source, target, job["container"])
            target.flush()
            return facts
        return _inspect_stream(source, target, job)
    except FileRefused as refused:
        return {"refused": refused.message.to_json()}
    except MemoryError:
        return {"refused": _TOO_LARGE.to_json()}
    except Exception:  # noqa: BLE001 - whatever a hostile file does to a decoder, it is the file's fault
        return {"refused": _UNREADABLE.to_json()}


def _inspect_stream(source: BinaryIO, target: BinaryIO, job: dict[str, Any]) -> dict[str, Any]:
    facts = inspect_stream(source, job["container"], job["kind"])
    if job["kind"] == "audio":
        facts["media"]["renditions"] = _write_renditions(source, target, job, facts)
    return facts


def _write_renditions(
    source: BinaryIO, target: BinaryIO, job: dict[str, Any], facts: dict[str, Any]
) -> list[str]:
    """A sound that cannot be encoded again is still a good asset; it is only never put into content."""
    try:
        pack = encode_renditions(
            source,
            DEMUXERS[job["container"]],
            duration_ms=facts["duration_ms"],
            lufs=facts["media"]["loudness_lufs"],
        )
    except (av.error.FFmpegError, MemoryError, ValueError):
        return []
    target.write(pack or b"")
    target.flush()
    return describe(pack)


if __name__ == "__main__":
    main()
