"""The page for errors that prevent rendering any other page: it needs no view, no account and no database."""

from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.errors import EnvelopeErrorHandler
from common.http.request_id import request_id
from common.http.router import READING
from common.values.errors import ApiError, ErrorCode, Refused
from common.values.messages import Message
from control.dashboard.i18n import language_of
from control.dashboard.policy import page_headers
from control.dashboard.rendering import templates_of
from control.foundation.settings import ControlSettings

_NO_PAGE = Message("This page does not exist. Check the address.")
_FOR_PROGRAMS = "/v1/"
_NOT_FOUND = 404


def add_missing_page(app: Sanic[Any, Any], settings: ControlSettings) -> None:
    """A browser at an unknown address gets a page; a program gets the JSON envelope."""

    def missing(request: Request, exception: Exception) -> HTTPResponse | None:
        asks_for_page = request.method in READING and "text/html" in request.headers.getone(
            "accept", ""
        )
        if not asks_for_page or request.path.startswith(_FOR_PROGRAMS):
            return None
        return error_page(request, exception, Refused(ErrorCode.NOT_FOUND, _NO_PAGE), settings)

    handler = app.error_handler
    if isinstance(handler, EnvelopeErrorHandler):
        handler.page = missing


def error_page(
    request: Request,
    exception: Exception,
    error: ApiError,
    settings: ControlSettings,
    *,
    keeps_token: bool = False,
) -> HTTPResponse:
    """
    *error*: *exception* as shown to the user. *keeps_token*: the address holds a secret.

    Logged and counted as the API's own errors are; the status and ``Retry-After`` are the API's.
    """
    envelope = request.app.error_handler.default(request, exception)
    user_locale = language_of(request)
    page = (
        templates_of(user_locale.language)
        .get_template("frame/fault.html")
        .render(
            user_locale=user_locale,
            error=error,
            again=_address(request)
            if error.status != _NOT_FOUND and request.method in READING
            else "",
            request_id=request_id(request),
        )
    )
    answer = HTTPResponse(
        page,
        status=error.status,
        headers=page_headers(settings, keeps_token=keeps_token),
        content_type="text/html; charset=utf-8",
    )
    if "Retry-After" in envelope.headers:
        answer.headers["Retry-After"] = envelope.headers["Retry-After"]
    return answer


def _address(request: Request) -> str:
    return request.path + (f"?{request.query_string}" if request.query_string else "")
