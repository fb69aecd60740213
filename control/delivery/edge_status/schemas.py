"""Wire models of edges and of the propagation of changes."""

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.environment import Environment
from control.foundation.wire_types import Limit


class EdgeList(WireIn):
    environment: Environment | None = Field(None, description="`live` or `test`. Default: both.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class Nack(WireOut):
    at: Timestamp
    reason: str | None = Field(
        description="Why the worker or its machine rejected the newer version."
    )


class EdgeWorker(WireOut):
    environment: Environment
    edge: str = Field(description="Name of the machine, from `PLACARD_EDGE_NAME`.")
    worker: str = Field(description="Name of the worker, `EDGE/NUMBER`.")
    boot: str = Field(description="Id of the worker's process; changes with every start.")
    version: int = Field(description="Snapshot version in use; 0: none yet.")
    behind: int | None = Field(
        description=(
            "Number of versions behind the newest; null: its snapshot is from another epoch, before a database was "
            "restored."
        )
    )
    age_seconds: float = Field(
        description="Seconds since the control plane last confirmed that version to it."
    )
    living: bool = Field(description="Whether the worker reported in the last 60 s.")
    ok: bool = Field(description="`true`: its last report was an ACK; `false`: a NACK.")
    seen_at: Timestamp
    last_ack_at: Timestamp | None
    last_nack: Nack | None = Field(description="The last NACK, which may be old.")


class PropagationQuery(WireIn):
    environment: Environment | None = Field(
        None, description="Only workers of this environment. Default: both; for a key, its own."
    )


class PendingWorker(WireOut):
    environment: Environment
    version: int = Field(description="Snapshot version that it still uses.")
    seen_at: Timestamp
    worker: str | None = Field(description="Name of the worker; null without `platform:read`.")
    reason: str | None = Field(
        description="Why it rejected a newer version, if it did; null without `platform:read`."
    )


class Propagation(WireOut):
    version: int
    head: int = Field(description="Newest version.")
    complete: bool = Field(
        description=(
            "Whether every worker that reported in the last 60 s uses this version or a later one; `false` if none "
            "reported."
        )
    )
    workers: int = Field(description="Number of workers that reported in the last 60 s.")
    pending: list[PendingWorker] = Field(description="Workers without this version, at most 100.")
    as_of: Timestamp = Field(description="Time of this status.")
