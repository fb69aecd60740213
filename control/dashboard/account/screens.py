"""The account itself: its name and rules, the emergency switch, its end."""

from control.dashboard.account import accounts
from control.dashboard.form_body import body_of, checked, text, whole
from control.dashboard.page import Moved, Result, Screen, Shown
from control.dashboard.page_request import View
from control.dashboard.session_cookie import end_cookie
from control.identity.account_settings import operations

_SETTINGS = {"name": text, "review_required": checked, "require_second_factor": checked}


async def show(view: View) -> Result:
    return Shown("account/account.html", {"account": await view.call(operations.GET)})


async def save(view: View) -> Result:
    version = whole(view.form.get("version", [""]))
    await view.call(
        operations.PATCH,
        body=body_of(view.form, _SETTINGS),
        version=version if isinstance(version, int) else 0,
    )
    return Moved(view.url("account"), told="saved")


async def stop(view: View) -> Result:
    await view.call(operations.STOP)
    return Moved(view.url("account"), told="stopped")


async def resume(view: View) -> Result:
    await view.call(operations.RESUME)
    return Moved(view.url("account"), told="resumed")


async def close(view: View) -> Result:
    await view.call(operations.CLOSE, body={"password": view.typed("password")})
    return Moved(view.url("sign_in"), told="closed", cookies=(end_cookie(view.control),))


SCREENS = (
    Screen(
        "account",
        "/account",
        show,
        {"": save, "stop": stop, "resume": resume, "close": close},
        of_environment=False,
    ),
    *accounts.SCREENS,
)
