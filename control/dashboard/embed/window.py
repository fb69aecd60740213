"""
Screens inside an embedded window: a bearer in the window's memory says who looks. Cookies are not asked, and the window
sees the screens of its component alone.
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
"""Of no campaign: what fields of its form choose from."""


async def identify_window(control: ControlContext, request: Request) -> Identity:
    """Raises `Refused`: where the window is over, and 404 for another campaign than the one it may edit."""
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
    """A window to edit one campaign has no address but of that campaign."""
    campaign_id = window.context.get("campaign_id")
    if window.component is not Component.CAMPAIGN_EDIT or campaign_id is None:
        return
    if request.path in _SHARED:
        return
    named = {value for value in request.match_info.values() if isinstance(value, str)}
    if named != {campaign_id}:
        raise not_found()
