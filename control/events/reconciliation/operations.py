"""The operations of reconciliation, as the public description shows them."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from control.events.reconciliation.schemas import Reconciliation
from control.foundation.openapi_examples import MADE_AT

RECONCILE = Operation(
    id="reconcile",
    method="POST",
    path="/v1/reconciliation",
    plane=Plane.CONTROL,
    tag="Platform",
    summary="Compare what edges appended with what was stored",
    description=(
        "One pass now, as the scheduler makes it every minute: records that are missing are asked for again, and "
        "arrive as all others do. For members of an operator's account; asking again changes nothing that was asked."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    needs={Auth.ACCESS_TOKEN: Permission.PLATFORM_WRITE},
    answers=(
        Answer(
            200,
            "What the pass found.",
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
