"""
Pages that a link in a mail leads to: a form, and what came of it. No script is needed.

Looking at one uses nothing up, for mail scanners follow links; the form's POST does. The token in the address goes
nowhere else: no referrer, no cache, nothing loaded from other hosts.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment as Templates
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.contract.operation import Operation
from common.errors import ApiError, ErrorCode, Refused
from common.http.errors import api_error
from control.admission import admit
from control.context import ControlContext

_MOST_TOKEN_CHARS = 200
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """What a form's POST brought; text fields only."""

    fields: dict[str, str]
    origin: str
    """The address it came from."""

    @property
    def token(self) -> str:
        return self.fields.get("token", "")


@dataclass(frozen=True, slots=True)
class FormPage:
    """
    ``submit`` does what the form is for, or raises `Refused`, whose message the page shows. ``template`` is shown with
    ``token`` and ``trouble`` (None, or a message); ``done`` is a sentence for afterwards. The rate of callers is that
    of ``operation``, the same act over the API.
    """

    path: str
    template: str
    operation: Operation
    submit: Callable[[ControlContext, Sent], Awaitable[None]]
    done: str


def add_form_page(
    app: Sanic[Any, Any], control: ControlContext, templates: Templates, page: FormPage
) -> None:
    name = page.path.strip("/").replace("-", "_")

    def form(token: str, trouble: ApiError | None) -> HTTPResponse:
        shown = templates.get_template(page.template).render(
            path=page.path, token=token, trouble=trouble.message if trouble else None
        )
        return _html(shown, trouble.status if trouble else 200)

    async def show(request: Request) -> HTTPResponse:
        return form(request.args.get("token", "")[:_MOST_TOKEN_CHARS], None)

    async def submit(request: Request) -> HTTPResponse:
        fields = _fields(request)
        try:
            admission = await admit(control, page.operation, request)
            check_same_origin(request, control.settings.control_url)
            await page.submit(control, Sent(fields, admission.client_ip))
        except Exception as error:
            known = api_error(error)
            if known.code is ErrorCode.INTERNAL:
                raise
            return form(fields.get("token", "")[:_MOST_TOKEN_CHARS], known)
        return _html(templates.get_template("done.html").render(done=page.done), 200)

    app.add_route(show, page.path, methods=["GET"], name=f"page_{name}")
    app.add_route(submit, page.path, methods=["POST"], name=f"page_{name}_submit")


def check_same_origin(request: Request, own_url: str) -> None:
    """
    Raises `Refused` unless the form was sent from a page of ours.

    Browsers say so in ``Sec-Fetch-Site``. Those that do not must say ``Origin``; it is ``null`` under our own referrer
    policy, so it alone never lets a POST in that names another host.
    """
    site = request.headers.getone("sec-fetch-site", None)
    origin = request.headers.getone("origin", None)
    if site == "same-origin" or (site is None and origin in (own_url.rstrip("/"), "null", None)):
        return
    raise Refused(
        ErrorCode.BAD_REQUEST,
        "This form was sent from another site. Open the link in your mail again.",
    )


def _fields(request: Request) -> dict[str, str]:
    form = request.get_form() or {}
    return {name: str(values[0]) for name, values in form.items()}


def _html(page: str, status: int) -> HTTPResponse:
    return HTTPResponse(
        page, status=status, headers=_HEADERS, content_type="text/html; charset=utf-8"
    )
