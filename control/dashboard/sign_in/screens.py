"""Signing in and out in a browser."""

from collections.abc import Mapping
from typing import Any

import orjson

from common.values.environment import Environment
from common.values.errors import ApiError, ErrorCode, Refused
from common.values.messages import Message
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.session_cookie import end_cookie, set_cookie
from control.dashboard.sign_in import own_data
from control.dashboard.sign_in.sample import find_sample
from control.foundation.http.cookies import find_cookie
from control.identity.sessions import operations
from control.identity.sessions.browser_sessions import OPEN, OPEN_BY_CODE

_ENVIRONMENT = "placard_environment"
"""A cookie that ``screens.js`` sets."""


async def show(view: PageRequest) -> Result:
    if view.is_signed_in:
        return Redirected(_after(view))
    if view.form_field("ticket"):
        return _second_step(view, view.form_field("ticket"))
    has_sample = find_sample(view.control.settings.sample_file) is not None
    return Rendered("sign_in/sign_in.html", {"next": _next_param(view), "has_sample": has_sample})


async def sign_in(view: PageRequest) -> Result:
    return await begin(view, view.form_field("email").strip(), view.form_field("password"))


async def sign_in_to_sample(view: PageRequest) -> Result:
    """Signs in without a password: only the account that `make run` made for looking around."""
    sample = find_sample(view.control.settings.sample_file)
    if sample is None:
        return Redirected(view.url("sign_in"))
    return await begin(view, sample.email, sample.password)


async def begin(view: PageRequest, email: str, password: str, **grant: Any) -> Result:
    """Signs in, or shows the form for the code of the second factor. Raises `ApiError`."""
    body = {"grant_type": "password", "email": email, "password": password, **grant}
    try:
        answer = orjson.loads((await view.execute(OPEN, body=body)).body)
    except ApiError as error:
        if error.code is not ErrorCode.EMAIL_UNVERIFIED:
            raise
        raise _unverified() from error
    if "ticket" in answer:
        return _second_step(view, answer["ticket"])
    return _enter(view, answer)


async def send_code(view: PageRequest) -> Result:
    body = {"ticket": view.form_field("ticket"), "otp": view.form_field("otp").strip()}
    return _enter(view, orjson.loads((await view.execute(OPEN_BY_CODE, body=body)).body))


async def sign_out(view: PageRequest) -> Result:
    await view.call(operations.SIGN_OUT)
    return Redirected(view.url("sign_in"), flash="signed_out", cookies=(end_cookie(view.control),))


async def _to_start(view: PageRequest) -> Result:
    return Redirected(start_of(view) if view.is_signed_in else view.url("sign_in"))


def _enter(view: PageRequest, answer: Mapping[str, str]) -> Result:
    """Redirects to the user's destination, with the cookie of the session. Without an account there is none."""
    if "own_data_ticket" in answer:
        return own_data.page_for(answer["own_data_ticket"])
    return Redirected(_after(view), cookies=(set_cookie(view.control, answer["cookie"]),))


def start_of(view: PageRequest) -> str:
    """The overview of the environment that this browser showed last; of live for a new browser."""
    last = find_cookie(view.request, _ENVIRONMENT)
    is_test = Environment.TEST in (view.links_to, last)
    return view.url("overview", environment=Environment.TEST if is_test else Environment.LIVE)


def _second_step(view: PageRequest, ticket: str) -> Rendered:
    return Rendered("sign_in/second_step.html", {"next": _next_param(view), "ticket": ticket})


def _next_param(view: PageRequest) -> str:
    """Only a path of this site: no link may lead a user elsewhere through the sign-in."""
    query = view.form_field("next") or view.query_param("next")
    is_ours = query.startswith("/") and not query.startswith(("//", "/\\")) and query.isprintable()
    return query if is_ours else ""


def _after(view: PageRequest) -> str:
    return _next_param(view) or start_of(view)


def _unverified() -> Refused:
    return Refused(
        ErrorCode.EMAIL_UNVERIFIED,
        Message(
            "Your address is not verified yet. Follow the link in the mail we sent. To get "
            "another mail, reset your password: that verifies the address, too."
        ),
        param="email",
    )


SCREENS = (
    PageRoute(
        "sign_in",
        "/sign-in",
        show,
        {"": sign_in, "code": send_code, "sample": sign_in_to_sample},
        of_environment=False,
        is_public=True,
    ),
    PageRoute(
        "sign_out",
        "/sign-out",
        _to_start,
        {"": sign_out},
        of_environment=False,
        before_enrolment=True,
    ),
    *own_data.SCREENS,
)
