"""The operation that explains decisions, as the public description shows it."""

from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation
from common.contract.permissions import Permission
from common.decision import no_fill_messages
from common.values.errors import ErrorCode
from control.reporting.decision_log.examples import EXPLAIN_BODY, EXPLAINED
from control.reporting.decision_log.schemas import DecisionExplained, ExplainRequest

EXPLAIN = Operation(
    id="explainDecision",
    method="POST",
    path="/v1/decisions/explain",
    tag="Decisions",
    summary="Explain a decision",
    description=(
        "Explains a recorded decision, or a hypothetical request. A recorded decision is repeated with the data that "
        "the edge had at the time, and gives the same outcome. All decisions in test, those with `debug=1` and a "
        "sample of the live ones are recorded; each can be explained after a few seconds and for 7 days. A "
        "hypothetical request is decided as of now or any time in the last 7 days, with the budgets last published "
        "and for a visitor who has seen no ads.\n\n"
        "The response lists only candidates of the caller's own account.\n\n"
        + no_fill_messages.table()
    ),
    needs={
        Auth.ACCESS_TOKEN: Permission.EVENT_READ,
        Auth.INTEGRATION_KEY: Permission.REPORTS_READ,
    },
    body_bytes=LARGE_BODY_BYTES,
    body=ExplainRequest,
    body_example=EXPLAIN_BODY,
    answers=(Answer(200, "The outcome and its reasons.", DecisionExplained, example=EXPLAINED),),
    errors=(
        ErrorCode.NOT_FOUND,
        ErrorCode.WRONG_ENVIRONMENT,
        ErrorCode.DECISION_EXPIRED,
        ErrorCode.UNAVAILABLE,
    ),
    reads=True,
)
