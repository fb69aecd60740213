"""What a worker says about its snapshot, to the supervisor and through it to the control plane."""

from dataclasses import dataclass

import orjson
from pydantic import TypeAdapter, ValidationError


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
    version: int
    digest: str
    ok: bool
    reason: str | None
    age_s: float
    at_ms: int


_STATUS: TypeAdapter[WorkerStatus] = TypeAdapter(WorkerStatus)


def encode_status(status: WorkerStatus) -> bytes:
    return orjson.dumps(status)


def parse_status(raw: bytes) -> WorkerStatus:
    """Raises `StatusInvalid`."""
    try:
        return _STATUS.validate_json(raw)
    except ValidationError as error:
        raise StatusInvalid(str(error)) from error
