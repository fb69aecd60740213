"""A `Ready` answer as Sanic takes one."""

from sanic.response import HTTPResponse

from common.http.answer import Ready


class ReadyAnswer(HTTPResponse):
    """Its headers are in ``ready`` alone: Sanic must not be asked to encode it."""

    __slots__ = ("ready",)

    def __init__(self, ready: Ready) -> None:  # not Sanic's: it makes headers nobody reads
        self.asgi = False
        self.body = ready.body or None
        self.content_type = None
        self.stream = None
        self.status = ready.status
        self.ready = ready
        self._cookies = None
