"""
Screens inside an embedded window: a bearer in the window's memory identifies the caller.

Cookies are ignored, and the window shows only the screens of its component.
"""

from sanic import Request

from common.values.environment import Environment
from common.values.errors import not_found
from control.api.context import ControlContext
from control.dashboard.embed_sessions.components import Component
from control.dashboard.embed_sessions.windows import Window, bearer_of, get_window
from control.dashboard.page_request import Layout
from control.dashboard.routing import Identity

PREFIX = "/embed/s"
_SHARED = frozenset(f"{PREFIX}/{environment}/choices" for environment in Environment)
"""Not of a campaign: the choices for fields of its form."""


async def identify_window(control: ControlContext, request: Request) -> Identity:
    """Raises `Refused`: where the window has ended, and 404 for a campaign other than the one it may edit."""
    window = await get_window(control, bearer_of(request))
    _check_campaign(window, request)
    frame = Layout(
        prefix=PREFIX,
        layout="frame/window.html",
        component=window.component,
        context=window.context,
    )
    return Identity(window.principal, frame)


def _check_campaign(window: Window, request: Request) -> None:
    """A window to edit one campaign has only addresses of that campaign."""
    campaign_id = window.context.get("campaign_id")
    if window.component is not Component.CAMPAIGN_EDIT or campaign_id is None:
        return
    if request.path in _SHARED:
        return
    named = {value for value in request.match_info.values() if isinstance(value, str)}
    if named != {campaign_id}:
        raise not_found()
