"""Reconciliation over HTTP: a pass runs before the call's transaction, because it waits for Redis."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.events.reconciliation import operations
from control.events.reconciliation.job import Outcome, make_pass
from control.events.reconciliation.schemas import Reconciliation, WriterGap

_MAX_GAPS = 100


@asynccontextmanager
async def _make(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    yield PreparedInput(await make_pass(call.control))


async def reconcile(call: Call) -> Reply:
    found: Outcome = call.prepared
    return Reply(
        Reconciliation(
            missing=found.missing,
            uncounted=sum(one.count for one in found.uncounted),
            gaps=[
                WriterGap(writer=one.writer, missing=one.count, since=one.since)
                for one in found.gaps[:_MAX_GAPS]
            ],
            asked=bool(found.gaps) and found.mailbox_unavailable is None,
            as_of=call.now,
        )
    )


ENDPOINTS = (Endpoint(operations.RECONCILE, reconcile, _make),)
