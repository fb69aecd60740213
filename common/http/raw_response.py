"""
Converts between Sanic's responses and raw ones:
a `RawResponse` as a Sanic response, and a Sanic response or an error as bytes.
"""

from sanic.response import HTTPResponse

from common.http.answer import RawResponse, StaticHeaders, encode_raw_response
from common.http.errors import EnvelopeErrorHandler


class EncodedResponse(HTTPResponse):
    """Its headers are only in ``ready``: Sanic must not encode it."""

    __slots__ = ("ready",)

    def __init__(self, ready: RawResponse) -> None:  # not Sanic's, which creates unused headers
        self.asgi = False
        self.body = ready.body or None
        self.content_type = None
        self.stream = None
        self.status = ready.status
        self.ready = ready
        self._cookies = None


def encode_response(
    response: HTTPResponse, static_headers: StaticHeaders, request_id: str, *, keep_alive: bool
) -> bytes:
    """
    Returns a complete response with its body as bytes.
    Raises ValueError where one of its headers may not be sent.
    """
    whole = encode_raw_response(
        response.status,
        response.headers,
        static_headers,
        response.body or b"",
        content_type=response.content_type,
        request_id=request_id,
        keep_alive=keep_alive,
        head_only=False,
    )
    if whole is None:
        raise ValueError("an answer has a header that may not be sent")
    return whole


def encode_error(
    errors: EnvelopeErrorHandler,
    error: Exception,
    static_headers: StaticHeaders,
    request_id: str,
    *,
    method: str,
    keep_alive: bool,
) -> tuple[int, bytes]:
    """
    Returns the status and the complete response to *error*.
    Where one of its headers may not be sent, that is the error.
    """
    response = errors.answer(error, request_id=request_id, method=method, route=None)
    try:
        encoded = encode_response(response, static_headers, request_id, keep_alive=keep_alive)
    except ValueError as fault:
        response = errors.answer(fault, request_id=request_id, method=method, route=None)
        encoded = encode_response(response, static_headers, request_id, keep_alive=keep_alive)
    return response.status, encoded
