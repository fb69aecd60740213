"""API schemas of actions on campaigns: cloning, rejecting, one verb on many."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from common.contract.models import WireIn, WireOut
from common.values.enums import CampaignStatus
from common.values.environment import Environment
from control.demand.campaigns.schemas import Flag
from control.foundation.wire_types import Distinct, Id, Instant, Lines, Name, Prose, WireMessage


class CampaignClone(WireIn):
    name: Name | None = Field(None, description="Name of the copy. Default: `Copy of …`.")
    start_at: Instant | None = Field(None, description="Default: the original's date. Null: none.")
    end_at: Instant | None = Field(None, description="Default: the original's date. Null: none.")
    include_ads: Flag = Field(
        default=True, description="Whether to clone the ads as drafts. Archived ads are not cloned."
    )
    environment: Environment | None = Field(
        None, description="Default: the original's environment. A key can only use its own."
    )


class Rejection(WireIn):
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), Prose, Lines
    ] = Field(description="What has to change; shown to the author.")


class BulkBody(WireIn):
    action: Literal["pause", "resume", "archive"]
    ids: Annotated[list[Id], Field(min_length=1, max_length=100), Distinct]


class BulkError(WireOut):
    code: str
    message: WireMessage


class BulkResult(WireOut):
    id: str
    ok: bool
    status: CampaignStatus | None = Field(
        description="The campaign's status now; null if the action failed."
    )
    version: int | None
    error: BulkError | None


class BulkPublic(WireOut):
    data: list[BulkResult]
