"""The operations of billing, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
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

_READS = {Auth.ACCESS_TOKEN: Permission.BILLING_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.BILLING_WRITE}

GET = Operation(
    id="getBilling",
    method="GET",
    path="/v1/billing",
    tag="Billing",
    summary="Read the account's billing",
    description=(
        "The subscription, how the account pays, and the expected amount of the next invoice. With an unpaid invoice "
        "the account is `past_due`, which still delivers, and `suspended` after a grace period; owners receive emails "
        "before and after the due date. Only the operator changes mode, credit limit, plan and price."
    ),
    needs=_READS,
    answers=(Answer(200, "The billing overview.", BillingPublic, example=BILLING),),
)

CANCEL = Operation(
    id="cancelSubscription",
    method="POST",
    path="/v1/billing/subscription/cancel",
    tag="Billing",
    summary="Cancel the renewal of the subscription",
    description=(
        "The subscription ends with the current term; nothing is refunded. Owners receive emails before and after the "
        "end, and the account is suspended at `suspends_at`. Returns 409 if the subscription has no term or has "
        "ended."
    ),
    needs=_WRITES,
    answers=(Answer(200, "The subscription.", SubscriptionPublic, example=CANCELLED),),
    errors=(ErrorCode.INVALID_STATE,),
)

RENEW = Operation(
    id="renewSubscription",
    method="POST",
    path="/v1/billing/subscription/renew",
    tag="Billing",
    summary="Renew the subscription",
    description=(
        "Turns renewal on, also during a trial. When the current term ends, the next one begins, is charged to the "
        "wallet and appears on the next invoice. A term that is already over is renewed within the hour. Returns 409 "
        "if the subscription has no term or has ended."
    ),
    needs=_WRITES,
    answers=(Answer(200, "The subscription.", SubscriptionPublic, example=SUBSCRIPTION),),
    errors=(ErrorCode.INVALID_STATE,),
)

LIST_INVOICES = Operation(
    id="listInvoices",
    method="GET",
    path="/v1/billing/invoices",
    tag="Billing",
    summary="List invoices",
    description=(
        "Newest first: one for each month (UTC) in which the balance changed. Prepaid accounts have invoices too, "
        "with nothing to pay, because the wallet already paid. What a wallet below zero lacks is carried to the next "
        "invoice, and a top-up settles it."
    ),
    needs=_READS,
    query=InvoiceList,
    answers=(Answer(200, "One page of results.", Page[InvoicePublic], example=a_page(INVOICE)),),
)

GET_INVOICE = Operation(
    id="getInvoice",
    method="GET",
    path="/v1/billing/invoices/{id}",
    tag="Billing",
    summary="Read an invoice and its lines",
    description=(
        "The lines add up to `total_micros` exactly. The total is rounded down to cents once; the remainder is a "
        "`carried` line on the next invoice."
    ),
    needs=_READS,
    path_params={"id": "Id of the invoice."},
    answers=(Answer(200, "The invoice.", InvoiceWithLines, example=INVOICE_WITH_LINES),),
)
