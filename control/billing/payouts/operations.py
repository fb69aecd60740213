"""The operations of payouts, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, created
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

_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

CREATE = Operation(
    id="createPayout",
    method="POST",
    path="/v1/payouts",
    tag="Payouts",
    summary="Request a payout",
    description=(
        "Pays what a property has earned (`payout.share_percent` of spend) to its `payout.payee`. The amount is "
        "reserved at once; the operator approves and pays. A failed payout releases the amount."
    ),
    needs=_WRITES,
    body=PayoutCreate,
    body_example=PAYOUT_BODY,
    answers=(created("The payout.", PayoutPublic, PAYOUT),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE, ErrorCode.INSUFFICIENT_BALANCE),
    creates=True,
)

LIST = Operation(
    id="listPayouts",
    method="GET",
    path="/v1/payouts",
    tag="Payouts",
    summary="List payouts",
    description="Newest first.",
    needs=_READS,
    query=PayoutList,
    answers=(Answer(200, "One page of results.", Page[PayoutPublic], example=a_page(PAYOUT)),),
)

GET = Operation(
    id="getPayout",
    method="GET",
    path="/v1/payouts/{id}",
    tag="Payouts",
    summary="Read a payout",
    needs=_READS,
    path_params={"id": "Id of the payout."},
    answers=(Answer(200, "The payout.", PayoutPublic, example=PAYOUT),),
)

LIST_EARNINGS = Operation(
    id="listEarnings",
    method="GET",
    path="/v1/wallet/earnings",
    tag="Payouts",
    summary="List earnings by property",
    description="Each property that ever had a revenue share, with its unpaid earnings.",
    needs=_READS,
    query=EarningsList,
    answers=(Answer(200, "One page of results.", Page[EarningsPublic], example=a_page(EARNINGS)),),
)
