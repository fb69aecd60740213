"""API schemas of privacy requests."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from control.foundation.wire_types import Limit, Plain

Uid = Annotated[str, StringConstraints(min_length=1, max_length=128), Plain]


class PrivacyKind(StrEnum):
    ERASE = "erase"
    EXPORT = "export"


class PrivacyStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"


class PrivacyRequestCreate(WireIn):
    uid: Uid = Field(description="The person's `uid`, exactly as sent to serve.")
    kind: PrivacyKind


class PrivacyRequestList(WireIn):
    status: PrivacyStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class Found(WireOut):
    """Result for one place."""

    place: str
    searched: str = Field(description="What was searched, and by which key.")
    found: int = Field(description="Number of records found.")
    erased: int
    data: list[dict[str, str]] = Field(
        description=(
            "The records, for an export, as long after it as events are kept; empty for an erasure, and after a later "
            "erasure of the same person."
        )
    )


class PrivacyRequestPublic(WireOut):
    id: str
    kind: PrivacyKind
    status: PrivacyStatus
    uid_hash: str = Field(
        description="Keyed hash of the person's id; equal for all requests about one person."
    )
    requested_by: str = Field(description="Id of a user.")
    found: list[Found] = Field(description="Results per place, once the request is done.")
    created_at: Timestamp
    due_at: Timestamp = Field(
        description="Deadline: 30 days after the request. It usually takes a minute."
    )
    done_at: Timestamp | None
