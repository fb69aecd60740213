"""The identity of a request, echoed or made, on every answer and every log line about it."""

from typing import Any

from sanic import Request

from common.http.chosen_id import HEADER, chosen_id


class TracedRequest(Request[Any, Any]):
    """A request whose ``id`` is the caller's own where it is 1..128 visible ASCII characters, else a new one."""

    __slots__ = ()

    @property
    def id(self) -> str:
        if self._id is None:
            self._id = chosen_id(self.headers.get(HEADER))
        return self._id  # type: ignore[return-value]  # Sanic allows other kinds; here it is text


def request_id(request: Request[Any, Any]) -> str:
    """Stays the same for the whole request."""
    return request.id  # type: ignore[return-value]  # as above
