"""The operations of payouts, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.billing.payouts.examples import EARNINGS, PAYOUT, PAYOUT_BODY
from control.billing.payouts.schemas import (
    EarningsList,
    EarningsPublic,
    PayoutCreate,
    PayoutList,
    PayoutPublic,
)
from control.foundation.openapi_examples import a_page

_CALLERS = (Auth.ACCESS_TOKEN,)
_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

CREATE = Operation(
    id="createPayout",
    method="POST",
    path="/v1/payouts",
    plane=Plane.CONTROL,
    tag="Payouts",
    summary="Ask for a payout",
    description=(
        "Of what a property has earned by its `payout.share_percent` of spend, to its `payout.payee`. The money is "
        "set aside at once; the operator approves and pays. A payout that fails gives it back."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=PayoutCreate,
    body_example=PAYOUT_BODY,
    answers=(
        Answer(201, "The payout.", PayoutPublic, headers={"Location": "Its path."}, example=PAYOUT),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE, ErrorCode.INSUFFICIENT_BALANCE),
    creates=True,
)

LIST = Operation(
    id="listPayouts",
    method="GET",
    path="/v1/payouts",
    plane=Plane.CONTROL,
    tag="Payouts",
    summary="List payouts",
    description="Newest first.",
    auth=_CALLERS,
    needs=_READS,
    query=PayoutList,
    answers=(Answer(200, "A page.", Page[PayoutPublic], example=a_page(PAYOUT)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getPayout",
    method="GET",
    path="/v1/payouts/{id}",
    plane=Plane.CONTROL,
    tag="Payouts",
    summary="Read a payout",
    auth=_CALLERS,
    needs=_READS,
    path_params={"id": "The payout's id."},
    answers=(Answer(200, "The payout.", PayoutPublic, example=PAYOUT),),
)

LIST_EARNINGS = Operation(
    id="listEarnings",
    method="GET",
    path="/v1/wallet/earnings",
    plane=Plane.CONTROL,
    tag="Payouts",
    summary="List what properties have earned",
    description="Each property that ever had a share of spend, and what of it was not paid out.",
    auth=_CALLERS,
    needs=_READS,
    query=EarningsList,
    answers=(Answer(200, "A page.", Page[EarningsPublic], example=a_page(EARNINGS)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)
