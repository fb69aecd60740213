"""Versioned objects: compares `If-Match`, and sets `ETag` and `Location` of a response."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel

from common.values.errors import ErrorCode, Refused
from control.api.call import Call, Reply


class HasVersion(Protocol):
    version: int


class Versioned(HasVersion, Protocol):
    updated_at: datetime


def check_version(call: Call, row: HasVersion) -> None:
    """Raises 412 where the caller read another version than the row has now. Lock the row when reading it."""
    if call.if_match is not None and call.if_match != row.version:
        raise Refused(
            ErrorCode.VERSION_CONFLICT,
            f"If-Match says version {call.if_match}, the object is at {row.version}. "
            "Read it again, apply your change to that, and send its version.",
            headers={"ETag": etag(row.version)},
        )


def raise_version(row: Versioned, now: datetime) -> None:
    """Increments the version. Call it once in a transaction that changed the row."""
    row.version += 1
    row.updated_at = now


def etag(version: int) -> str:
    return f'"{version}"'


def versioned(body: BaseModel, version: int) -> Reply:
    return Reply(body, headers={"ETag": etag(version)})


def created(body: BaseModel, version: int, location: str) -> Reply:
    return Reply(body, status=201, headers={"ETag": etag(version), "Location": location})
