"""
The cookie of a signed-in browser.

Over https it has the ``__Host-`` prefix: no other host, and no page of another path, can set one. Scripts cannot read
it, and browsers send it with no request started by another site, except a plain link.
"""

from sanic import Request

from control.api.authentication import find_cookie_holder, find_suspended_holder
from control.api.context import ControlContext
from control.foundation.http.cookies import find_cookie
from control.foundation.principal import Principal

_NAME = "placard_session"


async def find_signed_in(
    control: ControlContext, request: Request, *, is_use: bool = True
) -> Principal | None:
    """
    None: not signed in, or no longer. Raises `Refused` (``tenant_suspended``).

    *is_use*: see `find_cookie_holder`.
    """
    token = find_cookie(request, _name(control))
    return await find_cookie_holder(control, token, is_use=is_use) if token else None


async def find_suspended(control: ControlContext, request: Request) -> Principal | None:
    """The user who would be signed in if the account were not suspended; used to show the reason."""
    token = find_cookie(request, _name(control))
    return await find_suspended_holder(control, token) if token else None


def set_cookie(control: ControlContext, token: str) -> str:
    """A ``Set-Cookie`` value, for as long as the session can last."""
    return _cookie(control, token, control.settings.session_absolute_s)


def end_cookie(control: ControlContext) -> str:
    return _cookie(control, "", 0)


def plain_cookie(control: ControlContext, name: str, value: str, seconds: int) -> str:
    """A ``Set-Cookie`` value of a user's choice, which scripts may read; 0 seconds delete it."""
    secure = "; Secure" if _is_https(control) else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; SameSite=Lax{secure}"


def _cookie(control: ControlContext, value: str, seconds: int) -> str:
    secure = "; Secure" if _is_https(control) else ""
    return f"{_name(control)}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _name(control: ControlContext) -> str:
    return f"__Host-{_NAME}" if _is_https(control) else _NAME


def _is_https(control: ControlContext) -> bool:
    return control.settings.control_url.startswith("https://")
