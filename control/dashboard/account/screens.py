"""The account itself: its name and rules, the emergency stop, and closing it."""

from control.dashboard.account import accounts
from control.dashboard.account.last_export import export_account
from control.dashboard.form_body import body_of, readers_of, whole
from control.dashboard.form_errors import at_field
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.session_cookie import end_cookie
from control.identity.account_settings import operations
from control.identity.account_settings.schemas import AccountPatch

_SETTINGS = readers_of(AccountPatch, {})


async def show(view: PageRequest) -> Result:
    return Rendered("account/account.html", {"account": await view.call(operations.GET)})


async def save(view: PageRequest) -> Result:
    version = whole(view.form.get("version", [""]))
    await view.call(
        operations.PATCH,
        body=body_of(view.form, _SETTINGS),
        version=version if isinstance(version, int) else 0,
    )
    return Redirected(view.url("account"), flash="saved")


async def stop(view: PageRequest) -> Result:
    await view.call(operations.STOP)
    return Redirected(view.url("account"), flash="stopped")


async def resume(view: PageRequest) -> Result:
    await view.call(operations.RESUME)
    return Redirected(view.url("account"), flash="resumed")


async def close(view: PageRequest) -> Result:
    with at_field("password", "close_password"):
        await view.call(operations.CLOSE, body={"password": view.form_field("close_password")})
    return Redirected(view.url("sign_in"), flash="closed", cookies=(end_cookie(view.control),))


async def export(view: PageRequest) -> Result:
    return await export_account(view)


SCREENS = (
    PageRoute(
        "account",
        "/account",
        show,
        {"": save, "stop": stop, "resume": resume, "close": close, "export": export},
        of_environment=False,
        body=AccountPatch,
    ),
    *accounts.SCREENS,
)
