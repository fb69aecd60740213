"""The edges API: each worker for operators, and for everyone whether a change has arrived."""

from datetime import datetime, timedelta

from common.contract.permissions import Permission
from common.values.environment import Environment
from common.values.errors import not_found
from control.api.authentication import wrong_environment
from control.api.call import Call, Endpoint, Reply
from control.api.listing import page_of, position_of
from control.delivery.edge_status import operations, queries
from control.delivery.edge_status.queries import LIVING, Head
from control.delivery.edge_status.schemas import (
    EdgeList,
    EdgeWorker,
    Nack,
    PendingWorker,
    Propagation,
)
from control.foundation.resource_models import from_row
from control.storage.tables.edges import EdgeWorkerRow

_MAX_PENDING = 100
_LONGEST_VERSION = 18


async def list_(call: Call) -> Reply:
    query: EdgeList = call.query
    position = position_of(call)
    after = None if position is None else (str(position[0]), str(position[1]))
    rows = await queries.list_workers(call.session, query.environment, after, query.limit + 1)
    head = await queries.read_head(call.session)

    def to_public(row: EdgeWorkerRow) -> EdgeWorker:
        return _to_public(row, head, call.now)

    return Reply(page_of(call, rows, to_public, lambda row: [row.environment, row.worker]))


async def propagation(call: Call) -> Reply:
    version = _parse_version(call.path["version"])
    head = await queries.read_head(call.session)
    if version > head.version:
        raise not_found()
    living = await queries.list_living(call.session, call.now, _environment(call))
    propagation = queries.propagation_of(living, head.epoch, version)
    is_complete = Permission.PLATFORM_READ in call.principal.permissions
    return Reply(
        Propagation(
            version=version,
            head=head.version,
            complete=propagation.complete,
            workers=propagation.workers,
            pending=[
                _pending(row, is_complete=is_complete) for row in propagation.pending[:_MAX_PENDING]
            ],
            as_of=call.now,
        )
    )


ENDPOINTS = (
    Endpoint(operations.LIST, list_),
    Endpoint(operations.PROPAGATION_OF, propagation),
)


def _environment(call: Call) -> Environment | None:
    """The environment of a key, which may request no other; else the requested one."""
    own, requested = call.principal.environment, call.query.environment
    if own is not None and requested not in (None, own):
        raise wrong_environment(own)
    found: Environment | None = own or requested
    return found


def _parse_version(text: str) -> int:
    """Raises 404 where *text* cannot be a version."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_VERSION):
        raise not_found()
    return int(text)


def _to_public(row: EdgeWorkerRow, head: Head, now: datetime) -> EdgeWorker:
    silent = max(timedelta(0), now - row.seen_at)
    nack = None if row.nacked_at is None else Nack(at=row.nacked_at, reason=row.nack_reason)
    return from_row(
        EdgeWorker,
        row,
        edge=row.worker.rpartition("/")[0],
        behind=max(0, head.version - row.version) if row.epoch == head.epoch else None,
        age_seconds=round(row.age_s + silent.total_seconds(), 3),
        living=silent < LIVING,
        last_ack_at=row.acked_at,
        last_nack=nack,
    )


def _pending(row: EdgeWorkerRow, *, is_complete: bool) -> PendingWorker:
    return from_row(
        PendingWorker,
        row,
        worker=row.worker if is_complete else None,
        reason=row.nack_reason if is_complete and not row.ok else None,
    )
