"""API schemas of the audit log."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from control.foundation.wire_types import Instant, Limit, Plain

Text = Annotated[str, StringConstraints(min_length=1, max_length=200), Plain]


class AuditQuery(WireIn):
    actor: Text | None = Field(
        None, description="`user:ID`, `key:ID`, `operator` or `system`, as the lines have it."
    )
    action: Text | None = Field(
        None, description="Of calls the operation's id, like `createCampaign`."
    )
    object_type: Text | None = Field(None, description="Like `campaign`.")
    object_id: Text | None = None
    since: Instant | None = Field(None, description="From this instant on.")
    until: Instant | None = Field(None, description="Before this instant.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class AuditLine(WireOut):
    id: str
    at: Timestamp
    actor: str = Field(description="`user:ID`, `key:ID`, `operator` or `system`.")
    action: str
    object_type: str
    object_id: str
    origin: str = Field(description="An address; `admin` or `work` for acts that came from inside.")
    request_id: str | None = Field(description="Of the call, as its answer carried it.")
    environment: str | None = Field(description="Null for what both environments share.")
    detail: dict[str, Any] = Field(
        description="`fields`: names sent in a PATCH; a state's name: what it moved `from` and `to`."
    )
