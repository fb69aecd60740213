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
    uid: Uid = Field(description="The person's identifier, exactly as it is sent to serve.")
    kind: PrivacyKind


class PrivacyRequestList(WireIn):
    status: PrivacyStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class Found(WireOut):
    """What one place held."""

    place: str
    searched: str = Field(description="What was looked through, and by what.")
    found: int = Field(description="Records of the person.")
    erased: int
    data: list[dict[str, str]] = Field(
        description="The records, where an export was asked for; of an erasure never any."
    )


class PrivacyRequestPublic(WireOut):
    id: str
    kind: PrivacyKind
    status: PrivacyStatus
    uid_hash: str = Field(
        description="The person, as a keyed hash: requests about one person show the same."
    )
    requested_by: str = Field(description="A user's id.")
    found: list[Found] = Field(description="Per place, once the request is done.")
    created_at: Timestamp
    due_at: Timestamp = Field(description="30 days after it was made; usually it takes a minute.")
    done_at: Timestamp | None
