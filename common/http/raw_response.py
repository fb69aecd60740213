"""Between Sanic's answers and those given without it: a `RawResponse` one as Sanic takes it, Sanic's as bytes."""

from sanic.response import HTTPResponse

from common.http.answer import RawResponse, StaticHeaders, encode_raw_response


class EncodedResponse(HTTPResponse):
    """Its headers are in ``ready`` alone: Sanic must not be asked to encode it."""

    __slots__ = ("ready",)

    def __init__(self, ready: RawResponse) -> None:  # not Sanic's: it makes headers nobody reads
        self.asgi = False
        self.body = ready.body or None
        self.content_type = None
        self.stream = None
        self.status = ready.status
        self.ready = ready
        self._cookies = None


def encode_response(
    response: HTTPResponse, standing: StaticHeaders, request_id: str, *, keep_alive: bool
) -> bytes:
    """The whole of an answer with a body of its own. Raises ValueError where a header of it may not be sent."""
    whole = encode_raw_response(
        response.status,
        response.headers,
        standing,
        response.body or b"",
        content_type=response.content_type,
        request_id=request_id,
        keep_alive=keep_alive,
        head_only=False,
    )
    if whole is None:
        raise ValueError("an answer has a header that may not be sent")
    return whole
