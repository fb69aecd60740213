"""The operations of reconciliation, as the public description shows them."""

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from control.events.reconciliation.schemas import Reconciliation
from control.foundation.openapi_examples import MADE_AT

RECONCILE = Operation(
    id="reconcile",
    method="POST",
    path="/v1/reconciliation",
    tag="Platform",
    summary="Reconcile events now",
    description=(
        "Compares the records that edges wrote with those that were stored, as the scheduler does every five minutes, "
        "and requests missing records again from the edges. Only for members of an operator's account. Repeating it "
        "has no effect on records already requested."
    ),
    needs={Auth.ACCESS_TOKEN: Permission.PLATFORM_WRITE},
    answers=(
        Answer(
            200,
            "The result of the reconciliation.",
            Reconciliation,
            example={
                "missing": 3,
                "uncounted": 0,
                "gaps": [
                    {
                        "writer": "edge-1/8c1f0a9be2d54f6f9d3c51a7e0b4c2d8",
                        "missing": 3,
                        "since": MADE_AT,
                    }
                ],
                "asked": True,
                "as_of": MADE_AT,
            },
        ),
    ),
)
