"""
The endpoint that explains decisions. All work is done before the transaction: in threads, and in short reads of its
own.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.decision.explain import explain
from common.decision.recorded_gates import NotRecorded
from common.decision.rules.outcome import Explanation
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.reporting.decision_log import operations
from control.reporting.decision_log.explain_input import ExplainInput, get_made_up, get_recorded
from control.reporting.decision_log.explain_response import to_public
from control.reporting.decision_log.schemas import DecisionExplained, ExplainRequest
from control.reporting.decision_log.snapshot_cache import RebuiltSnapshots


@asynccontextmanager
async def prepare(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: ExplainRequest = call.body
    if body.opportunity is not None:
        explain_input = await get_made_up(call, body.opportunity)
    else:
        explain_input = await get_recorded(call, body.decision_id or "")
    explanation = await call.control.get(RebuiltSnapshots).run(
        lambda: _explain(explain_input, body.limit)
    )
    yield PreparedInput(to_public(explain_input, explanation, call.principal.account_id))


async def explain_decision(call: Call) -> Reply:
    found: DecisionExplained = call.prepared
    return Reply(found)


ENDPOINTS = (Endpoint(operations.EXPLAIN, explain_decision, prepare=prepare),)


def _explain(explain_input: ExplainInput, limit: int) -> Explanation | None:
    """Returns None where today's rules need an input that was not recorded."""
    decision_input = explain_input.decision_input
    try:
        return explain(
            decision_input.snapshot,
            decision_input.opportunity,
            decision_input.gates,
            decision_input.now_ms,
            decision_input.seed,
            listed=limit,
            examined=None,
        )
    except NotRecorded:
        return None
