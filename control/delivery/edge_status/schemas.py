"""Wire models of edges and of the propagation of changes."""

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.environment import Environment
from control.foundation.wire_types import Limit


class EdgeList(WireIn):
    environment: Environment | None = Field(None, description="`live` or `test`; none: both.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class Nack(WireOut):
    at: Timestamp
    reason: str | None = Field(
        description="Why the worker, or its machine, could not take what was newer."
    )


class EdgeWorker(WireOut):
    environment: Environment
    edge: str = Field(description="The machine's name, `PLACARD_EDGE_NAME`.")
    worker: str = Field(description="`EDGE/NUMBER`.")
    boot: str = Field(description="Another one after each start of the worker's process.")
    version: int = Field(description="The snapshot version it decides by; 0: none yet.")
    behind: int | None = Field(
        description="Versions between it and the newest; null: it is in another epoch, before a database was restored."
    )
    age_seconds: float = Field(
        description="Since the control plane last confirmed that version to it, as far as is known."
    )
    living: bool = Field(description="Whether it was heard in the last 60 s.")
    ok: bool = Field(description="`true`: its last word was an ACK; `false`: a NACK.")
    seen_at: Timestamp
    last_ack_at: Timestamp | None
    last_nack: Nack | None = Field(description="The last one, which may be long past.")


class PropagationQuery(WireIn):
    environment: Environment | None = Field(
        None, description="Workers of this one only; none: of both, and with a key of its own."
    )


class PendingWorker(WireOut):
    environment: Environment
    version: int = Field(description="What it decides by yet.")
    seen_at: Timestamp
    worker: str | None = Field(description="Its name; null for whoever lacks `platform:read`.")
    reason: str | None = Field(
        description="Why it refused what is newer, where it did; null for whoever lacks `platform:read`."
    )


class Propagation(WireOut):
    version: int
    head: int = Field(description="The newest version there is.")
    complete: bool = Field(
        description="Whether every worker seen in the last 60 s decides by this version or a later one; `false` where "
        "none was seen."
    )
    workers: int = Field(description="Workers seen in the last 60 s.")
    pending: list[PendingWorker] = Field(description="Those that do not have it yet, at most 100.")
    as_of: Timestamp = Field(description="When this was looked at.")
