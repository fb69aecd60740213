"""A worker's report on its snapshot, to the supervisor and from there to the control plane."""

from dataclasses import dataclass
from typing import Annotated

import orjson
from pydantic import Field, TypeAdapter, ValidationError

_YEAR_10000_MS = 253_402_300_800_000


class StatusInvalid(ValueError):
    """Bytes that are not a status."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """
    An ACK (``ok``: the worker decides with ``version``) or a NACK (``reason``: why it does not use the newest version).

    ``epoch`` empty: it has no snapshot. ``version`` 0: it has none, or that of a new database. ``age_s``: time since
    the control plane last confirmed it. ``at_ms``: time of the report.
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
    """Random, one for each process of the worker: it changes with a restart."""

    @property
    def has_snapshot(self) -> bool:
        return bool(self.epoch)


_STATUS: TypeAdapter[WorkerStatus] = TypeAdapter(WorkerStatus)


def encode_status(status: WorkerStatus) -> bytes:
    return orjson.dumps(status)


def parse_status(raw: bytes) -> WorkerStatus:
    """Raises `StatusInvalid`."""
    try:
        return _STATUS.validate_json(raw)
    except ValidationError as error:
        raise StatusInvalid(str(error)) from error
