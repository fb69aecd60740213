"""The pages of a user's accounts, and the page of a suspended account."""

from collections.abc import Sequence
from dataclasses import replace

from common.values.errors import not_found
from control.billing.invoicing import operations as billing
from control.billing.wallet import operations as wallets
from control.dashboard.account.switch_account import switch_to
from control.dashboard.form_body import body_of, money
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.profile import my_data
from control.dashboard.session_cookie import end_cookie, find_suspended
from control.dashboard.sign_in.screens import start_of
from control.identity.me import operations as me
from control.identity.sessions import operations as sessions
from control.identity.users.current_user import current_user
from control.identity.users.memberships import Membership, list_accounts_of

_MAX_ACCOUNTS = 200


async def show_accounts(view: PageRequest) -> Result:
    values = {"accounts": await _accounts(view), "current": view.caller.account_id}
    return Rendered("account/accounts.html", values)


async def switch(view: PageRequest) -> Result:
    return await switch_to(view, view.form_field("account_id"))


async def show_suspended(view: PageRequest) -> Result:
    """For members, by a session cookie that is valid for no other page."""
    if not await _is_held(view):
        return Redirected(start_of(view))
    invoices = None
    if view.can(billing.LIST_INVOICES.id):
        found = (await view.call(billing.LIST_INVOICES, query={"limit": 100}))["data"]
        invoices = [one for one in found if one["status"] in ("open", "past_due")]
    wallet, top_ups = None, []
    if view.can(wallets.CREATE_TOP_UP.id) and not _is_closed(view):
        wallet = await view.call(wallets.GET)
        query = {"status": "pending", "limit": 10}
        top_ups = (await view.call(wallets.LIST_TOP_UPS, query=query))["data"]
    others = [one for one in await _accounts(view) if one.id != view.caller.account_id]
    values = {"invoices": invoices, "others": others, "wallet": wallet, "top_ups": top_ups}
    return Rendered("account/suspended.html", values)


async def top_up(view: PageRequest) -> Result:
    """Accepts money even while invoices are unpaid, but not for a closed account."""
    if not await _is_held(view):
        return Redirected(start_of(view))
    if _is_closed(view):
        raise not_found()
    body = body_of(view.form, {"amount_cents": money})
    await view.call(wallets.CREATE_TOP_UP, body=body)
    return Redirected(view.url("suspended"), flash="top_up_asked")


async def cancel_top_up(view: PageRequest) -> Result:
    if not await _is_held(view):
        return Redirected(start_of(view))
    await view.call(wallets.CANCEL_TOP_UP, path={"id": view.form_field("id")})
    return Redirected(view.url("suspended"), flash="top_up_cancelled")


async def leave_suspended(view: PageRequest) -> Result:
    if not await _is_held(view):
        return Redirected(start_of(view))
    return await switch(view)


async def export_own_data(view: PageRequest) -> Result:
    """People read and delete what is stored about them whatever the state of their account."""
    return await my_data.export(view) if await _is_held(view) else Redirected(start_of(view))


async def delete_user(view: PageRequest) -> Result:
    return await my_data.delete(view) if await _is_held(view) else Redirected(start_of(view))


async def sign_out(view: PageRequest) -> Result:
    if await _is_held(view):
        await view.call(sessions.SIGN_OUT)
    return Redirected(view.url("sign_in"), flash="signed_out", cookies=(end_cookie(view.control),))


def _is_closed(view: PageRequest) -> bool:
    return view.me is not None and view.me["account"]["state_reason"] == "closed"


async def _accounts(view: PageRequest) -> Sequence[Membership]:
    """Queried as the service role, because a user who must enrol first may not call the API."""
    user_id = current_user(view.caller).user_id
    async with view.control.database.service() as session:
        return await list_accounts_of(session, user_id, limit=_MAX_ACCOUNTS, before_id=None)


async def _is_held(view: PageRequest) -> bool:
    """Whether the session belongs to a suspended account. If so, later calls of the view use its principal."""
    held = await find_suspended(view.control, view.request)
    if held is None:
        return False
    view.admission = replace(view.admission, principal=held)
    view.me = await view.call(me.GET)
    return True


SCREENS = (
    PageRoute(
        "accounts",
        "/accounts",
        show_accounts,
        {"": switch},
        of_environment=False,
        before_enrolment=True,
    ),
    PageRoute(
        "suspended",
        "/suspended",
        show_suspended,
        {
            "": leave_suspended,
            "top_up": top_up,
            "cancel": cancel_top_up,
            "export": export_own_data,
            "delete": delete_user,
            "sign_out": sign_out,
        },
        of_environment=False,
        is_public=True,
    ),
)
