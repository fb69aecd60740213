"""The sample account of `make run`, which the sign-in page offers."""

from dataclasses import dataclass, field
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class Sample:
    email: str
    password: str = field(repr=False)


def find_sample(path: Path | None) -> Sample | None:
    """*path*: `ControlSettings.sample_file`. None where there is no such account, or its history is not stored yet."""
    if path is None:
        return None
    try:
        found = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    return Sample(found["email"], found["password"])
