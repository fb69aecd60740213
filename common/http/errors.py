"""
Every failure as the envelope: our errors by their code, Sanic's by their status, a fault
as 500 without a traceback.
"""

from collections.abc import Callable

import structlog
from sanic import Request
from sanic.exceptions import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestCancelled,
    RequestTimeout,
    SanicException,
    ServiceUnavailable,
)
from sanic.handlers import ErrorHandler
from sanic.response import HTTPResponse

from common.http.head import HeadInvalid
from common.http.request_id import request_id
from common.http.responses import error_response
from common.values.errors import ApiError, ErrorCode, Refused, Unavailable
from common.values.messages import Message

_log: structlog.stdlib.BoundLogger = structlog.get_logger("http")


class EnvelopeErrorHandler(ErrorHandler):
    """Handles all errors of the app; `translate` registers a domain's own exceptions."""

    def __init__(self) -> None:
        super().__init__()
        self.observe: Callable[[ApiError], None] | None = None
        """Called with every error before the response is sent."""
        self.page: Callable[[Request, Exception], HTTPResponse | None] | None = None
        """
        Returns the page that a browser gets instead of the envelope for a path without a route; None:
        the envelope.
        """
        self._translations: dict[type[Exception], ApiError] = {}

    def translate(self, exception: type[Exception], error: ApiError) -> None:
        """Returns *error* as the response wherever *exception* escapes."""
        self._translations[exception] = error

    def response(self, request: Request, exception: Exception) -> HTTPResponse:
        shown = None
        if self.page is not None and request.route is None and isinstance(exception, NotFound):
            shown = self.page(request, exception)
        return shown or self.default(request, exception)

    def default(self, request: Request, exception: Exception) -> HTTPResponse:
        route = None if request.route is None else request.route.path
        return self.answer(
            exception, request_id=request_id(request), method=request.method, route=route
        )

    def answer(
        self, exception: Exception, *, request_id: str, method: str, route: str | None
    ) -> HTTPResponse:
        """The same for code without a Sanic request. *route*: the path's template, for the log line of a fault."""
        error = self._translations.get(type(exception)) or api_error(exception)
        if error.code is ErrorCode.INTERNAL and not isinstance(exception, RequestCancelled):
            # Not where a client disconnected: that is not a fault.
            facts = {} if route is None else {"route": route}
            _log.error(
                "request_failed",
                exc_info=exception,
                request_id=request_id,
                method=method,
                **facts,
            )
        if self.observe is not None:
            self.observe(error)
        return error_response(error, request_id=request_id)


def api_error(exception: BaseException) -> ApiError:
    """Returns the error that represents *exception*; an unknown one is `INTERNAL`."""
    if isinstance(exception, ApiError):
        return exception
    if isinstance(exception, SanicException) and exception.status_code < 500:  # noqa: PLR2004 - the caller's faults
        return _callers_fault(exception)
    if isinstance(exception, ServiceUnavailable):
        return Unavailable(Message("The response was not ready in time. Try again shortly."))
    return ApiError(
        ErrorCode.INTERNAL,
        Message(
            "Something failed on our side. Try again. If you report it, include the request id."
        ),
    )


def _callers_fault(exception: SanicException) -> Refused:
    """Sanic's own messages may repeat the URL, and with it a key, so only our messages are shown."""
    match exception:
        case NotFound():
            return Refused(
                ErrorCode.NOT_FOUND,
                Message("This path does not exist. Check it against the API reference."),
            )
        case MethodNotAllowed():
            return _method_not_allowed(exception)
        case PayloadTooLarge():
            return Refused(
                ErrorCode.PAYLOAD_TOO_LARGE, Message("The body is too large. Send a smaller one.")
            )
        case RequestTimeout():
            return Refused(
                ErrorCode.REQUEST_TIMEOUT,
                Message("{problem} Send the whole request without pauses.", problem=str(exception)),
            )
        case HeadInvalid():
            return Refused(ErrorCode.BAD_REQUEST, Message.untranslated(str(exception)))
        case _:
            return Refused(
                ErrorCode.BAD_REQUEST, Message("The request is malformed. Send valid HTTP/1.1.")
            )


def _method_not_allowed(exception: MethodNotAllowed) -> Refused:
    allowed = str(exception.headers.get("Allow", ""))
    return Refused(
        ErrorCode.METHOD_NOT_ALLOWED,
        Message("This path does not support the method. Use one of: {allowed}.", allowed=allowed),
        headers={"Allow": allowed},
    )
