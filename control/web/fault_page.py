"""What a browser shows where a page could not be made at all: it needs no view, no account and no database."""

from sanic import Request
from sanic.response import HTTPResponse

from common.errors import ApiError
from common.http.request_id import request_id
from control.settings import ControlSettings
from control.web.policy import page_headers
from control.web.rendering import templates_of
from control.web.screen import Screen
from control.web.wording import LANGUAGE, choose_wording


def fault_page(
    request: Request,
    exception: Exception,
    error: ApiError,
    settings: ControlSettings,
    screen: Screen,
) -> HTTPResponse:
    """
    *error*: what *exception* is to the reader of *screen*.

    Logged and counted as the API's own errors are; the status and ``Retry-After`` are those the API would answer.
    """
    envelope = request.app.error_handler.default(request, exception)
    wording = choose_wording(
        request.cookies.get(LANGUAGE), request.headers.getone("accept-language", "")
    )
    page = (
        templates_of(wording.language)
        .get_template("frame/fault.html")
        .render(
            wording=wording,
            error=error,
            again=_address(request) if request.method == "GET" else "",
            request_id=request_id(request),
        )
    )
    answer = HTTPResponse(
        page,
        status=error.status,
        headers=page_headers(settings, keeps_token=screen.keeps_token),
        content_type="text/html; charset=utf-8",
    )
    if "Retry-After" in envelope.headers:
        answer.headers["Retry-After"] = envelope.headers["Retry-After"]
    return answer


def _address(request: Request) -> str:
    return request.path + (f"?{request.query_string}" if request.query_string else "")
