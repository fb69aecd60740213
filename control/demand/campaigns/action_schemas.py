"""API schemas of actions on campaigns: cloning, rejecting, one verb on many."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from common.contract.models import WireIn, WireOut
from common.values.enums import CampaignStatus
from common.values.environment import Environment
from control.demand.campaigns.schemas import Flag
from control.foundation.wire_types import Distinct, Id, Instant, Lines, Name, Prose, WireMessage


class CampaignClone(WireIn):
    name: Name | None = Field(None, description="`Copy of …` when left out.")
    start_at: Instant | None = Field(None, description="The original's when left out; null: none.")
    end_at: Instant | None = Field(None, description="The original's when left out; null: none.")
    include_ads: Flag = Field(
        default=True, description="Take its ads along, as drafts; archived ones stay behind."
    )
    environment: Environment | None = Field(
        None, description="The original's when left out; a key stays in its own."
    )


class Rejection(WireIn):
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), Prose, Lines
    ] = Field(description="What has to change; shown to whoever made it.")


class BulkBody(WireIn):
    action: Literal["pause", "resume", "archive"]
    ids: Annotated[list[Id], Field(min_length=1, max_length=100), Distinct]


class BulkError(WireOut):
    code: str
    message: WireMessage


class BulkResult(WireOut):
    id: str
    ok: bool
    status: CampaignStatus | None = Field(description="As it is now; null where it was refused.")
    version: int | None
    error: BulkError | None


class BulkPublic(WireOut):
    data: list[BulkResult]
