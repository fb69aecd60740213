"""
Setting up a second factor, and turning it off. The secret is shown once: while its first code is not right, the form
carries it, for nothing gives it out again.
"""

import re

from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.profile.qr_code import QUIET, qr_square, svg_path
from control.dashboard.profile.queries import factor_standing
from control.identity.two_factor import operations
from control.identity.two_factor.rules import otpauth_url
from control.identity.users.current_user import current_user

_SECRET = re.compile(r"[A-Z2-7]{16,64}")
_MAX_IN_A_CODE = 400


async def show(view: PageRequest) -> Result:
    secret = view.typed("secret")
    if _SECRET.fullmatch(secret):
        return _enrolling(view, secret)
    standing = await factor_standing(view.control, current_user(view.caller).user_id)
    return Rendered("profile/second_factor.html", {"factor": standing})


async def set_up(view: PageRequest) -> Result:
    made = await view.call(operations.CREATE, body={"password": view.typed("password")})
    return _enrolling(view, made["secret"])


async def confirm(view: PageRequest) -> Result:
    made = await view.call(operations.CONFIRM, body={"code": view.typed("code").strip()})
    return Rendered("profile/recovery_codes.html", {"codes": made["recovery_codes"]})


async def turn_off(view: PageRequest) -> Result:
    body = {"password": view.typed("password"), "code": view.typed("code").strip()}
    await view.call(operations.DISABLE, body=body)
    return Redirected(view.url("profile"), told="factor_off")


def _enrolling(view: PageRequest, secret: str) -> Rendered:
    url = otpauth_url(secret, view.me["user"]["email"] if view.me else "")
    square = qr_square(url) if len(url) <= _MAX_IN_A_CODE else None
    values = {
        "secret": secret,
        "spelled": " ".join(re.findall(".{1,4}", secret)),
        "code_path": svg_path(square) if square else None,
        "code_size": len(square) + 2 * QUIET if square else 0,
    }
    return Rendered("profile/enrol.html", values)


SCREENS = (
    PageRoute(
        "second_factor",
        "/profile/second-factor",
        show,
        {"set_up": set_up, "confirm": confirm, "turn_off": turn_off},
        of_environment=False,
        before_enrolment=True,
    ),
)
