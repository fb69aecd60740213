"""The dashboard: identifies a user by the session cookie, and chooses the layout."""

from sanic import Request

from common.http.router import READING
from common.values.errors import ErrorCode, Refused
from control.api.context import ControlContext
from control.dashboard.page_request import Layout
from control.dashboard.routing import Identity
from control.dashboard.same_origin import check_same_origin
from control.dashboard.session_cookie import find_signed_in

_FRAME = Layout(prefix="", layout="frame/dashboard.html")
_OUTSIDE = Layout(prefix="", layout="frame/outside.html")


async def identify(control: ControlContext, request: Request) -> Identity:
    """Raises `Refused` for a form that another site sent."""
    if request.method not in READING:
        check_same_origin(request, control.settings.control_url)
    try:
        principal = await find_signed_in(control, request)
    except Refused as error:
        if error.code is not ErrorCode.TENANT_SUSPENDED:
            raise
        return Identity(None, _OUTSIDE, is_suspended=True)
    return Identity(principal, _FRAME if principal else _OUTSIDE)
