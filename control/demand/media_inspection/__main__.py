"""
`python -m control.demand.media_inspection JOB`: inspect one file, whose descriptor is inherited, and print the result
as JSON.

JOB is the JSON object that `control.demand.assets.inspection` passes. Not for interactive use.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from common.service.sandbox import confine, leave_network
from common.values.messages import Message
from control.demand.media_inspection.files import FileRefused

Inspect = Callable[[BinaryIO, BinaryIO, str], dict[str, Any]]
_UNREADABLE = Message(
    "The file is damaged, or not of the type it claims. Export it again and send the new file."
)
_TOO_LARGE = Message("The file needs too much memory to be decoded. Send a smaller one.")


def main() -> None:
    """Exits with 0 and prints a line of JSON, unless the kernel kills it first: then nothing is printed."""
    job = json.loads(sys.argv[1])
    inspect = _import_decoders(job["kind"])
    leave_network()  # first: whatever the file does to a decoder, nothing leaves the machine
    confine(memory_bytes=job["memory_bytes"], cpu_s=job["cpu_s"], output_bytes=job["output_bytes"])
    print(json.dumps(_inspect(job, inspect)))  # noqa: T201 - the parent process reads the result from stdout


def _import_decoders(kind: str) -> Inspect:
    """Those of sounds and films take half of the start of this process, and an image needs none of them."""
    if kind == "image":
        from control.demand.media_inspection.images import inspect_image

        return inspect_image
    from control.demand.media_inspection.renditions import inspect_and_encode

    return partial(inspect_and_encode, kind=kind)


def _inspect(job: dict[str, Any], inspect: Inspect) -> dict[str, Any]:
    source = os.fdopen(job["source"], "rb")
    target = os.fdopen(job["target"], "w+b")
    source.seek(0)
    try:
        facts = inspect(source, target, job["container"])
        target.flush()
    except FileRefused as refused:
        return {"refused": refused.message.to_json()}
    except MemoryError:
        return {"refused": _TOO_LARGE.to_json()}
    except Exception:  # noqa: BLE001 - whatever a hostile file does to a decoder, it is the file's fault
        return {"refused": _UNREADABLE.to_json()}
    return facts


if __name__ == "__main__":
    main()
