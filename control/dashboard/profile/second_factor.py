"""
Setting up a second factor, and turning it off. The secret is shown once: while its first code is not right, the form
carries it, for nothing gives it out again.
"""

import re

from control.dashboard.page import Moved, Result, Screen, Shown
from control.dashboard.page_request import View
from control.dashboard.profile.qr_code import QUIET, qr_square, svg_path
from control.dashboard.profile.queries import factor_standing
from control.identity.two_factor import operations
from control.identity.two_factor.rules import otpauth_url
from control.identity.users.current_user import signed_in

_SECRET = re.compile(r"[A-Z2-7]{16,64}")
_MOST_IN_A_CODE = 400


async def show(view: View) -> Result:
    secret = view.typed("secret")
    if _SECRET.fullmatch(secret):
        return _enrolling(view, secret)
    standing = await factor_standing(view.control, signed_in(view.caller).user_id)
    return Shown("profile/second_factor.html", {"factor": standing})


async def set_up(view: View) -> Result:
    made = await view.call(operations.CREATE, body={"password": view.typed("password")})
    return _enrolling(view, made["secret"])


async def confirm(view: View) -> Result:
    made = await view.call(operations.CONFIRM, body={"code": view.typed("code").strip()})
    return Shown("profile/recovery_codes.html", {"codes": made["recovery_codes"]})


async def turn_off(view: View) -> Result:
    body = {"password": view.typed("password"), "code": view.typed("code").strip()}
    await view.call(operations.DISABLE, body=body)
    return Moved(view.url("profile"), told="factor_off")


def _enrolling(view: View, secret: str) -> Shown:
    url = otpauth_url(secret, view.me["user"]["email"] if view.me else "")
    square = qr_square(url) if len(url) <= _MOST_IN_A_CODE else None
    values = {
        "secret": secret,
        "spelled": " ".join(re.findall(".{1,4}", secret)),
        "code_path": svg_path(square) if square else None,
        "code_size": len(square) + 2 * QUIET if square else 0,
    }
    return Shown("profile/enrol.html", values)


SCREENS = (
    Screen(
        "second_factor",
        "/profile/second-factor",
        show,
        {"set_up": set_up, "confirm": confirm, "turn_off": turn_off},
        of_environment=False,
        before_enrolment=True,
    ),
)
