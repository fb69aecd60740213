"""The dashboard's way of showing screens: a person signed in by a cookie."""

from sanic import Request

from control.context import ControlContext
from control.web.forms import check_same_origin
from control.web.mount import Identity
from control.web.session_cookie import find_signed_in
from control.web.view import Frame

_FRAME = Frame(prefix="", layout="frame/dashboard.html")
_OUTSIDE = Frame(prefix="", layout="frame/outside.html")


async def identify(control: ControlContext, request: Request) -> Identity:
    """Raises `Refused` for a form that another site sent, and of a suspended account."""
    if request.method != "GET":
        check_same_origin(request, control.settings.control_url)
    principal = await find_signed_in(control, request)
    return Identity(principal, _FRAME if principal else _OUTSIDE)
