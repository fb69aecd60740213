"""The wallet: its balance, its top-ups and its entries."""

from control.billing.ledger.entries import EntryKind
from control.billing.wallet import operations
from control.billing.wallet.queries import wanted_entries
from control.dashboard.form_body import body_of, money
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.queries import read_names

KINDS = {
    EntryKind.TOP_UP: "Top-up",
    EntryKind.REFUND: "Refund",
    EntryKind.SPEND: "Ad delivery",
    EntryKind.FLAT_RATE: "Flat-rate delivery",
    EntryKind.ADJUSTMENT: "Correction by the operator",
    EntryKind.SUBSCRIPTION: "Subscription",
    EntryKind.INVOICE: "Moved to an invoice",
    EntryKind.VOID: "Invoice voided",
    EntryKind.PAYMENT: "Invoice paid",
    EntryKind.PAYOUT: "Payout requested",
    EntryKind.PAYOUT_PAID: "Payout paid",
    EntryKind.PAYOUT_FAILED: "Payout failed",
}
"""Also in the catalogues."""
TOP_UP = {
    "pending": ("Queued", "warn"),
    "confirmed": ("Paid in", "good"),
    "failed": ("Failed", "bad"),
    "cancelled": ("Cancelled", "quiet"),
}


async def show(view: PageRequest) -> Result:
    query = {name: view.query_param(name) for name in ("kind", "cursor")}
    entries = await view.call(operations.LIST_ENTRIES, query={**query, "limit": 50})
    names = await read_names(view, (one["actor"].rpartition(":")[2] for one in entries["data"]))
    values = {
        "wallet": await view.call(operations.GET),
        "entries": entries,
        "pager": await pager_of(
            view,
            operations.LIST_ENTRIES,
            query,
            entries,
            wanted_entries(view.caller.account_id, view.list_query(operations.LIST_ENTRIES, query)),
        ),
        "top_ups": await view.call(operations.LIST_TOP_UPS, query={"limit": 10}),
        "people": {f"user:{one}": name for one, name in names.items()},
        "kinds": {kind.value: words for kind, words in KINDS.items()},
        "statuses": TOP_UP,
        "kind": query["kind"],
    }
    return Rendered("billing/wallet.html", values)


async def top_up(view: PageRequest) -> Result:
    body = body_of(view.form, {"amount_cents": money})
    await view.call(operations.CREATE_TOP_UP, body=body)
    return Redirected(view.url("wallet"), flash="top_up_asked")


async def cancel_top_up(view: PageRequest) -> Result:
    await view.call(operations.CANCEL_TOP_UP, path={"id": view.form_field("id")})
    return Redirected(view.url("wallet"), flash="top_up_cancelled")


SCREENS = (
    PageRoute(
        "wallet",
        "/wallet",
        show,
        {"": top_up, "cancel": cancel_top_up},
        of_environment=False,
        needs=operations.GET,
    ),
)
