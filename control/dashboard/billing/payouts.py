"""The earnings of properties, and their payouts."""

from control.billing.payouts import operations
from control.billing.payouts.queries import wanted_payouts
from control.dashboard.form_body import body_of, money, text
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY
from control.dashboard.queries import read_names

STATUS = {
    "requested": ("Requested", "warn"),
    "approved": ("Approved", ""),
    "paid": ("Paid", "good"),
    "failed": ("Failed", "bad"),
}


async def show(view: PageRequest) -> Result:
    page = await view.call(operations.LIST_EARNINGS, query={"limit": 100})
    earnings, name = page["data"], "property_id"
    payouts = await view.call(operations.LIST, query={"cursor": view.query_param("cursor")})
    ids = {one["property_id"] for one in [*earnings, *payouts["data"]]}
    values = {
        "earnings": earnings,
        "payouts": payouts,
        "pager": await pager_of(
            view,
            operations.LIST,
            {},
            payouts,
            wanted_payouts(view.caller.account_id, view.list_query(operations.LIST, {})),
        ),
        "properties": await read_names(view, ids),
        "statuses": STATUS,
        "sites": await offer(view, PROPERTY, name, chosen=[view.form_field(name)])
        if page["has_more"]
        else None,
    }
    return Rendered("billing/payouts.html", values)


async def request_payout(view: PageRequest) -> Result:
    body = body_of(view.form, {"property_id": text, "amount_cents": money})
    await view.call(operations.CREATE, body=body)
    return Redirected(view.url("payouts"), flash="payout_asked")


SCREENS = (
    PageRoute(
        "payouts",
        "/payouts",
        show,
        {"": request_payout},
        of_environment=False,
        needs=operations.LIST,
    ),
)
