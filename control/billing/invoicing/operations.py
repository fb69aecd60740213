"""The operations of billing, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.billing.invoicing.examples import (
    BILLING,
    CANCELLED,
    INVOICE,
    INVOICE_WITH_LINES,
    SUBSCRIPTION,
)
from control.billing.invoicing.schemas import (
    BillingPublic,
    InvoiceList,
    InvoicePublic,
    InvoiceWithLines,
    SubscriptionPublic,
)
from control.foundation.openapi_examples import a_page

_CALLERS = (Auth.ACCESS_TOKEN,)
_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

GET = Operation(
    id="getBilling",
    method="GET",
    path="/v1/billing",
    plane=Plane.CONTROL,
    tag="Billing",
    summary="Read the account's billing",
    description=(
        "The subscription, how the account pays, and what the next invoice would ask for. An unpaid invoice makes "
        "the account `past_due`, which still delivers, and after a grace `suspended`; owners have mails before and "
        "after its due date. Mode, credit limit, plan and price are changed by the operator."
    ),
    auth=_CALLERS,
    needs=_READS,
    answers=(Answer(200, "The billing.", BillingPublic, example=BILLING),),
)

CANCEL = Operation(
    id="cancelSubscription",
    method="POST",
    path="/v1/billing/subscription/cancel",
    plane=Plane.CONTROL,
    tag="Billing",
    summary="Do not renew the subscription",
    description=(
        "It ends with the term that runs; nothing is paid back. Owners have mails before and after the end, then the "
        "account is suspended at `suspends_at`. 409 where the subscription has no term, or has ended."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    answers=(Answer(200, "The subscription.", SubscriptionPublic, example=CANCELLED),),
    errors=(ErrorCode.INVALID_STATE,),
)

RENEW = Operation(
    id="renewSubscription",
    method="POST",
    path="/v1/billing/subscription/renew",
    plane=Plane.CONTROL,
    tag="Billing",
    summary="Renew the subscription",
    description=(
        "At the end of the term that runs the next one begins, is charged to the wallet, and stands on the next "
        "invoice. Of a trial too. A term that is over is renewed within the hour. 409 where the subscription has no "
        "term, or has ended."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    answers=(Answer(200, "The subscription.", SubscriptionPublic, example=SUBSCRIPTION),),
    errors=(ErrorCode.INVALID_STATE,),
)

LIST_INVOICES = Operation(
    id="listInvoices",
    method="GET",
    path="/v1/billing/invoices",
    plane=Plane.CONTROL,
    tag="Billing",
    summary="List invoices",
    description=(
        "Newest first, one a month (UTC) in which the wallet moved. Prepaid accounts get them too: what the wallet "
        "paid needs no payment, so they ask for nothing."
    ),
    auth=_CALLERS,
    needs=_READS,
    query=InvoiceList,
    answers=(Answer(200, "A page.", Page[InvoicePublic], example=a_page(INVOICE)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET_INVOICE = Operation(
    id="getInvoice",
    method="GET",
    path="/v1/billing/invoices/{id}",
    plane=Plane.CONTROL,
    tag="Billing",
    summary="Read an invoice and its lines",
    description=(
        "The lines add up to `total_micros` exactly. The total is rounded down to cents once, and what is left over "
        "is a `carried` line of the next invoice."
    ),
    auth=_CALLERS,
    needs=_READS,
    path_params={"id": "The invoice's id."},
    answers=(Answer(200, "The invoice.", InvoiceWithLines, example=INVOICE_WITH_LINES),),
)
