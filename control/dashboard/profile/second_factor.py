"""
Sets up a second factor, and turns it off.

The secret is shown only once: until its first code is correct, the form carries it, because nothing returns it again.
"""

import re

import segno
from markupsafe import Markup

from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.identity.two_factor import operations
from control.identity.two_factor.queries import FactorStatus, read_status
from control.identity.two_factor.rules import otpauth_url
from control.identity.users.current_user import current_user

_SECRET = re.compile(r"[A-Z2-7]{16,64}")
_MAX_IN_A_CODE = 400


async def show(view: PageRequest) -> Result:
    secret = view.form_field("secret")
    if _SECRET.fullmatch(secret):
        return _enrolling(view, secret)
    return Rendered("profile/second_factor.html", {"factor": await status_of(view)})


async def status_of(view: PageRequest) -> FactorStatus:
    """Of the viewer. A factor belongs to no account, so this reads as the service."""
    async with view.control.database.service() as session:
        return await read_status(session, current_user(view.caller).user_id)


async def set_up(view: PageRequest) -> Result:
    made = await view.call(operations.CREATE, body={"password": view.form_field("password")})
    return _enrolling(view, made["secret"])


async def confirm(view: PageRequest) -> Result:
    made = await view.call(operations.CONFIRM, body={"code": view.form_field("code").strip()})
    return Rendered("profile/recovery_codes.html", {"codes": made["recovery_codes"]})


async def turn_off(view: PageRequest) -> Result:
    body = {"password": view.form_field("password"), "code": view.form_field("code").strip()}
    await view.call(operations.DISABLE, body=body)
    return Redirected(view.url("profile"), flash="factor_off")


def _enrolling(view: PageRequest, secret: str) -> Rendered:
    url = otpauth_url(secret, view.me["user"]["email"] if view.me else "")
    values = {
        "secret": secret,
        "spelled": " ".join(re.findall(".{1,4}", secret)),
        "code": _qr_code(url) if len(url) <= _MAX_IN_A_CODE else None,
    }
    return Rendered("profile/enrol.html", values)


def _qr_code(url: str) -> Markup:
    """An SVG for inlining, black on white in both themes, with the quiet zone of ISO/IEC 18004 around it."""
    code = segno.make_qr(url, error="m")
    drawn = code.svg_inline(border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr")
    return Markup(drawn)  # noqa: S704 - numbers alone, nothing of the address stands in it


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
