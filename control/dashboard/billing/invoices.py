"""The plan, the costs of the month so far, and the invoices."""

from control.billing.invoicing import operations
from control.billing.invoicing.queries import wanted_invoices
from control.billing.invoicing.rules import PLANS
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.queries import read_names

STATUS = {
    "open": ("Open", ""),
    "paid": ("Paid", "good"),
    "past_due": ("Overdue", "bad"),
    "void": ("Void", "quiet"),
}
LINES = {
    "spend": "Delivered",
    "top_up": "Paid in",
    "refund": "Refunded",
    "adjustment": "Corrections",
    "subscription": "Subscription",
    "carried": "Carried over from the previous month",
}
UNITS = {
    "impression": "impressions",
    "click": "clicks",
    "conversion": "conversions",
    "day": "days",
}


async def show(view: PageRequest) -> Result:
    billing = await view.call(operations.GET)
    query = {name: view.query_param(name) for name in ("status", "cursor")}
    invoices = await view.call(operations.LIST_INVOICES, query=query)
    plan = PLANS.get(billing["subscription"]["plan"])
    values = {
        "billing": billing,
        "plan": plan.name if plan else billing["subscription"]["plan"],
        "invoices": invoices,
        "pager": await pager_of(
            view,
            operations.LIST_INVOICES,
            query,
            invoices,
            wanted_invoices(
                view.caller.account_id, view.list_query(operations.LIST_INVOICES, query)
            ),
        ),
        "statuses": STATUS,
        "status": query["status"],
    }
    return Rendered("billing/billing.html", values)


async def renew(view: PageRequest) -> Result:
    await view.call(operations.RENEW)
    return Redirected(view.url("billing"), flash="subscription_renews")


async def cancel(view: PageRequest) -> Result:
    await view.call(operations.CANCEL)
    return Redirected(view.url("billing"), flash="subscription_ends")


async def show_one(view: PageRequest) -> Result:
    invoice = await view.call(operations.GET_INVOICE, path={"id": view.path["id"]})
    ids = {line["campaign_id"] for line in invoice["lines"] if line["campaign_id"]}
    values = {
        "invoice": invoice,
        "statuses": STATUS,
        "line_kinds": LINES,
        "units": UNITS,
        "campaigns": await read_names(view, ids),
    }
    return Rendered("billing/invoice.html", values)


SCREENS = (
    PageRoute(
        "billing",
        "/billing",
        show,
        {"renew": renew, "cancel": cancel},
        of_environment=False,
        needs=operations.GET,
    ),
    PageRoute(
        "invoice",
        "/billing/invoices/<id:str>",
        show_one,
        of_environment=False,
        needs=operations.GET_INVOICE,
    ),
)
