"""The operations of the wallet, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
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
from control.foundation.openapi_examples import a_page

_CALLERS = (Auth.ACCESS_TOKEN,)
_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

GET = Operation(
    id="getWallet",
    method="GET",
    path="/v1/wallet",
    plane=Plane.CONTROL,
    tag="Wallet",
    summary="Read the wallet",
    description=(
        "What the account has paid in, what it spent, and what it may still spend. Spend is posted within seconds; "
        "what was charged since is `pending_spend_micros`. A `prepaid` account whose `available_micros` is used up, "
        "and an `invoiced` one at its credit limit, delivers no live campaign until money comes in. What was on its "
        "way at that moment is still charged, so the balance may end a little below zero."
    ),
    auth=_CALLERS,
    needs=_READS,
    answers=(Answer(200, "The wallet.", WalletPublic, example=WALLET),),
)

LIST_ENTRIES = Operation(
    id="listWalletEntries",
    method="GET",
    path="/v1/wallet/entries",
    plane=Plane.CONTROL,
    tag="Wallet",
    summary="List what moved the wallet",
    description="Newest first. Entries never change: what was wrong is put right by another entry.",
    auth=_CALLERS,
    needs=_READS,
    query=EntryList,
    answers=(Answer(200, "A page.", Page[EntryPublic], example=a_page(ENTRY)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

CREATE_TOP_UP = Operation(
    id="createTopUp",
    method="POST",
    path="/v1/wallet/top-ups",
    plane=Plane.CONTROL,
    tag="Wallet",
    summary="Top up the wallet",
    description=(
        "Asks for a payment and says how to make it. The money is in the wallet once the payment is confirmed; "
        "campaigns that were blocked for want of it deliver again within a second."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=TopUpCreate,
    body_example=TOP_UP_BODY,
    answers=(
        Answer(
            201,
            "The top-up, pending.",
            TopUpPublic,
            headers={"Location": "Its path."},
            example=TOP_UP,
        ),
    ),
    creates=True,
)

LIST_TOP_UPS = Operation(
    id="listTopUps",
    method="GET",
    path="/v1/wallet/top-ups",
    plane=Plane.CONTROL,
    tag="Wallet",
    summary="List top-ups",
    description="Newest first.",
    auth=_CALLERS,
    needs=_READS,
    query=TopUpList,
    answers=(Answer(200, "A page.", Page[TopUpPublic], example=a_page(TOP_UP)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET_TOP_UP = Operation(
    id="getTopUp",
    method="GET",
    path="/v1/wallet/top-ups/{id}",
    plane=Plane.CONTROL,
    tag="Wallet",
    summary="Read a top-up",
    auth=_CALLERS,
    needs=_READS,
    path_params={"id": "The top-up's id."},
    answers=(Answer(200, "The top-up.", TopUpPublic, example=TOP_UP),),
)
