"""Signing in and out in a browser."""

import orjson

from control.call import Call, Endpoint, Reply
from control.sessions import operations, queries
from control.sessions.endpoints import prove
from control.sessions.rules import limits_of
from control.sessions.schemas import PasswordGrant, TokenRequest
from control.sessions.sign_in import open_session
from control.web.screen import Moved, Result, Screen, Shown
from control.web.session_cookie import end_cookie, set_cookie
from control.web.view import View


async def _open(call: Call) -> Reply:
    request: TokenRequest = call.body
    grant = request.root
    if not isinstance(grant, PasswordGrant):
        raise TypeError("the form of a sign-in sends a password")
    started = await open_session(call, grant)
    cookie = queries.add_cookie(call.session, started, limits_of(call.control.settings), call.now)
    return Reply({"cookie": cookie}, secret=True)


_OPEN = Endpoint(operations.GET_TOKEN, _open, prepare=prove)
"""As ``POST /v1/auth/token`` does, with a cookie's token instead of a pair for programs."""


async def show(view: View) -> Result:
    if view.is_signed_in:
        return Moved(_after(view))
    return Shown("sign_in/sign_in.html", {"next": _asked_next(view)})


async def sign_in(view: View) -> Result:
    body = {
        "grant_type": "password",
        "email": view.typed("email").strip(),
        "password": view.typed("password"),
    }
    if view.typed("otp"):
        body["otp"] = view.typed("otp").strip()
    answer = await view.perform(_OPEN, body=body)
    cookie = set_cookie(view.control, orjson.loads(answer.body)["cookie"])
    return Moved(_after(view), cookies=(cookie,))


async def sign_out(view: View) -> Result:
    await view.call(operations.SIGN_OUT)
    return Moved(view.url("sign_in"), told="signed_out", cookies=(end_cookie(view.control),))


async def _to_start(view: View) -> Result:
    return Moved(_start(view) if view.is_signed_in else view.url("sign_in"))


def _start(view: View) -> str:
    return view.url("overview", environment="live")


def _asked_next(view: View) -> str:
    """A path of ours only: no link may lead a person elsewhere by way of our sign-in."""
    asked = view.typed("next") or view.asked("next")
    is_ours = asked.startswith("/") and not asked.startswith(("//", "/\\")) and asked.isprintable()
    return asked if is_ours else ""


def _after(view: View) -> str:
    return _asked_next(view) or _start(view)


SCREENS = (
    Screen("start", "", _to_start, of_environment=False, is_public=True),
    Screen("sign_in", "/sign-in", show, {"": sign_in}, of_environment=False, is_public=True),
    Screen("sign_out", "/sign-out", _to_start, {"": sign_out}, of_environment=False),
)
