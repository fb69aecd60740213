"""The operations of the wallet, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.billing.wallet.examples import ENTRY, TOP_UP, TOP_UP_BODY, WALLET
from control.billing.wallet.schemas import (
    EntryList,
    EntryPublic,
    TopUpCreate,
    TopUpList,
    TopUpPublic,
    WalletPublic,
)
from control.foundation.openapi_examples import MADE_AT, a_page

_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

GET = Operation(
    id="getWallet",
    method="GET",
    path="/v1/wallet",
    tag="Wallet",
    summary="Read the wallet",
    description=(
        "Top-ups, spend and remaining funds of the account. Spend is posted within seconds; newer charges are "
        "`pending_spend_micros`. A `prepaid` account with no `available_micros` left, and an `invoiced` one at its "
        "credit limit, serves no live campaigns until a payment arrives. Events in transit at that moment are still "
        "charged, so the balance may end slightly below zero."
    ),
    needs=_READS,
    answers=(Answer(200, "The wallet.", WalletPublic, example=WALLET),),
)

LIST_ENTRIES = Operation(
    id="listWalletEntries",
    method="GET",
    path="/v1/wallet/entries",
    tag="Wallet",
    summary="List wallet transactions",
    description="Newest first. Entries never change: a mistake is corrected by another entry.",
    needs=_READS,
    query=EntryList,
    answers=(Answer(200, "One page of results.", Page[EntryPublic], example=a_page(ENTRY)),),
)

CREATE_TOP_UP = Operation(
    id="createTopUp",
    method="POST",
    path="/v1/wallet/top-ups",
    tag="Wallet",
    summary="Top up the wallet",
    description=(
        "Creates a payment request with instructions for paying it. The money is added when the payment is confirmed; "
        "campaigns that were blocked by `no_funds` resume within a second."
    ),
    needs=_WRITES,
    body=TopUpCreate,
    body_example=TOP_UP_BODY,
    answers=(created("The new top-up, pending.", TopUpPublic, TOP_UP),),
    creates=True,
)

LIST_TOP_UPS = Operation(
    id="listTopUps",
    method="GET",
    path="/v1/wallet/top-ups",
    tag="Wallet",
    summary="List top-ups",
    description="Newest first.",
    needs=_READS,
    query=TopUpList,
    answers=(Answer(200, "One page of results.", Page[TopUpPublic], example=a_page(TOP_UP)),),
)

CANCEL_TOP_UP = Operation(
    id="cancelTopUp",
    method="POST",
    path="/v1/wallet/top-ups/{id}/cancel",
    tag="Wallet",
    summary="Cancel a top-up",
    description=(
        "For a pending top-up that you will not pay. If the payment arrives nevertheless, the operator can still add "
        "it to the wallet."
    ),
    needs=_WRITES,
    path_params={"id": "Id of the top-up."},
    answers=(
        Answer(
            200,
            "The cancelled top-up.",
            TopUpPublic,
            example=TOP_UP | {"status": "cancelled", "settled_at": MADE_AT},
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)

GET_TOP_UP = Operation(
    id="getTopUp",
    method="GET",
    path="/v1/wallet/top-ups/{id}",
    tag="Wallet",
    summary="Read a top-up",
    needs=_READS,
    path_params={"id": "Id of the top-up."},
    answers=(Answer(200, "The top-up.", TopUpPublic, example=TOP_UP),),
)
