"""Versioned objects: compares `If-Match`, and sets `ETag` and `Location` of a response."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, PreTransactionCall, Reply


class HasVersion(Protocol):
    version: int


class Versioned(HasVersion, Protocol):
    updated_at: datetime


def check_version(call: Call | PreTransactionCall, row: HasVersion) -> None:
    """Raises 412 where the caller read another version than the row has now. Lock the row when reading it."""
    if call.if_match is not None and call.if_match != row.version:
        raise Refused(
            ErrorCode.VERSION_CONFLICT,
            Message(
                "`If-Match` has version {sent_version}, but the object is at version "
                "{current_version}. Read it again, apply your change, and send its version.",
                sent_version=call.if_match,
                current_version=row.version,
            ),
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
