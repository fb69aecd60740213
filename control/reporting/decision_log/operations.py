"""The operation that explains decisions, as the public description shows it."""

from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.decision import no_fill_messages
from common.values.errors import ErrorCode
from control.reporting.decision_log.examples import EXPLAIN_BODY, EXPLAINED
from control.reporting.decision_log.schemas import DecisionExplained, ExplainRequest

EXPLAIN = Operation(
    id="explainDecision",
    method="POST",
    path="/v1/decisions/explain",
    plane=Plane.CONTROL,
    tag="Decisions",
    summary="Ask why a slot showed what it showed",
    description=(
        "Of a recorded decision: the very answer that the edge gave, decided again with what the edge knew then. "
        "Recorded are all decisions in test, those with `debug=1`, and a sampled share of live ones; they can be asked "
        "about for 7 days, a few seconds after they were made. Or of an opportunity that you make up, now or at any "
        "instant of the last 7 days: budgets are then as last published, and the reader has seen nothing yet.\n\n"
        "A key and a user see the candidates of their own account.\n\n" + no_fill_messages.table()
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY),
    needs={
        Auth.ACCESS_TOKEN: Permission.EVENT_READ,
        Auth.INTEGRATION_KEY: Permission.REPORTS_READ,
    },
    body_bytes=LARGE_BODY_BYTES,
    body=ExplainRequest,
    body_example=EXPLAIN_BODY,
    answers=(Answer(200, "The outcome and why.", DecisionExplained, example=EXPLAINED),),
    errors=(
        ErrorCode.NOT_FOUND,
        ErrorCode.WRONG_ENVIRONMENT,
        ErrorCode.DECISION_EXPIRED,
        ErrorCode.UNAVAILABLE,
    ),
    reads=True,
)
