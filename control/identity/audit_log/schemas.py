"""API schemas of the audit log."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.ids import canonical_id
from control.foundation.wire_types import Instant, Limit, Plain

Text = Annotated[str, StringConstraints(min_length=1, max_length=200), Plain]


class AuditQuery(WireIn):
    actor: Text | None = Field(
        None, description="`user:ID`, `key:ID`, `operator` or `system`, as shown in the entries."
    )
    action: Text | None = Field(None, description="The operation's id, such as `createCampaign`.")
    object_type: Text | None = Field(None, description="Type of object, such as `campaign`.")
    object_id: Annotated[Text, AfterValidator(canonical_id)] | None = None
    since: Instant | None = Field(None, description="Only entries at or after this time.")
    until: Instant | None = Field(None, description="Only entries before this time.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class AuditLine(WireOut):
    id: str
    at: Timestamp
    actor: str = Field(description="`user:ID`, `key:ID`, `operator` or `system`.")
    action: str
    object_type: str
    object_id: str
    origin: str = Field(
        description="IP address of the caller; `admin` or `work` for internal actions."
    )
    request_id: str | None = Field(description="Request id, as in the response's `X-Request-Id`.")
    environment: str | None = Field(
        description="Environment; null for objects that both environments share."
    )
    detail: dict[str, Any] = Field(
        description="`fields`: the fields sent in a PATCH. A status change has its field's name, with `from` and `to`."
    )
