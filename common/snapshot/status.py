"""What a worker says about its snapshot, to the supervisor and through it to the control plane."""

from dataclasses import dataclass
from typing import Annotated

import orjson
from pydantic import Field, TypeAdapter, ValidationError

_YEAR_10000_MS = 253_402_300_800_000


class StatusInvalid(ValueError):
    """Bytes that are no status."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """
    An ACK (``ok``: it decides by ``version``) or a NACK (``reason``: why it does not decide by the newest).

    ``version`` 0: it holds none. ``age_s``: since the control plane last confirmed it. ``at_ms``: when this was said.
    """

    worker: str
    """``EDGE/NUMBER``."""
    epoch: str
    version: Annotated[int, Field(ge=0, lt=1 << 63)]
    digest: str
    ok: bool
    reason: str | None
    age_s: float
    at_ms: Annotated[int, Field(ge=0, lt=_YEAR_10000_MS)]
    boot: str = ""
    """Random, of the worker's process: a restart is another one."""


_STATUS: TypeAdapter[WorkerStatus] = TypeAdapter(WorkerStatus)


def encode_status(status: WorkerStatus) -> bytes:
    return orjson.dumps(status)


def parse_status(raw: bytes) -> WorkerStatus:
    """Raises `StatusInvalid`."""
    try:
        return _STATUS.validate_json(raw)
    except ValidationError as error:
        raise StatusInvalid(str(error)) from error
