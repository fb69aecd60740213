"""Properties of every request: an id, echoed or created, in its response and its log lines; and a body with a limit."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from sanic import Request

from common.http.answer import HEADER, chosen_id
from common.http.request_body import read_body

if TYPE_CHECKING:
    from common.http.strict_http import StrictHttp


class TracedRequest(Request[Any, Any]):
    """A request whose ``id`` is the client's own if it is 1..128 visible ASCII characters, else a new one."""

    __slots__ = ()

    @property
    def id(self) -> str:
        if self._id is None:
            self._id = chosen_id(self.headers.get(HEADER))
        return self._id  # type: ignore[return-value]  # Sanic allows other kinds; here it is text

    async def receive_body(self) -> None:
        """
        Sanic calls it before the handler of a route that does not stream. The limit is the route's ``ctx_body_bytes``,
        else the app's. The route's ``ctx_before_body`` checks the head first, where the body may still be read: its
        stated length is within the limit, or the head of its first chunk is well-formed. Otherwise the request itself
        is an error, which comes before those of its key. Raises `ApiError`, and `HeadInvalid` for a malformed chunk.
        """
        limit = self.app.config.REQUEST_MAX_SIZE
        max_bytes = limit if self.route is None else getattr(self.route.ctx, "body_bytes", limit)
        check = None if self.route is None else getattr(self.route.ctx, "before_body", None)
        if check is not None:
            await self._check_before_body(check, max_bytes)
        await read_body(self, max_bytes=max_bytes)

    async def _check_before_body(
        self, check: Callable[[Request[Any, Any]], None], max_bytes: int
    ) -> None:
        stream = cast("StrictHttp", self.stream)
        if not stream.is_chunked:
            length = self.headers.get("content-length", "")
            if length.isdecimal() and int(length) <= max_bytes:
                check(self)
            return
        await stream.receive_first_chunk_head()
        try:
            check(self)
        except Exception:
            stream.leave_body()
            raise


def request_id(request: Request[Any, Any]) -> str:
    """Returns the request's id, which does not change."""
    return request.id  # type: ignore[return-value]  # as above
