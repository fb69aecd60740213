"""Turns whole heads of ``GET /v1/serve`` into whole HTTP responses without Sanic, in the same bytes."""

from collections.abc import Callable
from typing import Any, Final, final

from sanic import Sanic

from common.http.answer import HEADER, RawResponse, StaticHeaders, chosen_id
from common.http.fast_head import HeadReader
from common.http.raw_response import encode_error
from common.service.compiled import is_compiled
from edge.context import EdgeContext
from edge.fastpath.serve_cache import native_cache
from edge.fastpath.serve_cache.cache_filler import CacheFiller, LookupCached
from edge.fastpath.serve_cache.head_parts import START
from edge.request.call import Call, quick_call
from edge.serving.serve_flow import serve_inline

__all__ = ["START", "Endpoint", "ServeFastPath"]

_QUERY_AT: Final = len("/v1/serve?")
_REQUEST_ID: Final = HEADER.lower()

Endpoint = Callable[[EdgeContext, Call], RawResponse | None]
"""Returns None, with nothing changed, where it would have to wait."""


@final
class ServeFastPath:
    """The serve fast path of one app."""

    def __init__(
        self,
        app: Sanic[Any, Any],
        endpoint: Endpoint = serve_inline,
        *,
        has_cache: bool | None = None,
    ) -> None:
        """*has_cache*: whether the native cache answers first; None: only before `serve_inline`."""
        self._edge: EdgeContext = app.ctx.edge
        self._static_headers: StaticHeaders = app.config.STATIC_HEADERS
        self._errors: Any = app.error_handler
        self._proxies_count: int = self._edge.settings.proxies_count
        self._endpoint: Endpoint | None = None if endpoint is serve_inline else endpoint
        self._heads = HeadReader()
        self.observe = self._edge.metrics.latencies.observe_serve
        """Takes a response and its duration in seconds."""
        is_wanted = endpoint is serve_inline if has_cache is None else has_cache
        uses_cache = is_wanted and is_compiled(native_cache) and not self._edge.environment.is_test
        self._filler = CacheFiller(self._edge, self._static_headers) if uses_cache else None
        self.lookup_cached: LookupCached = (
            _find_nothing if self._filler is None else self._filler.lookup_cached
        )
        """`find_answer` by the native cache alone; None, with nothing changed, where it cannot answer."""

    def find_answer(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, which begins with `START`.

        Returns None, with nothing changed, where the fast path does not handle the request.
        """
        try:
            answer = self.lookup_cached(data, start, end, peer)
        except Exception as error:  # noqa: BLE001 - as below
            return self.error_response_for_cached(error, data[start:end])
        return self.serve_uncached(data, start, end, peer) if answer is None else answer

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """`find_answer` for a request that ``lookup_cached`` could not answer."""
        if self._filler is not None:
            try:
                answer = self._filler.fill_and_retry(data, start, end, peer)
            except Exception as error:  # noqa: BLE001 - as below
                return self.error_response_for_cached(error, data[start:end])
            if answer is not None:
                return answer
        return self.answer_in_full(data[start:end], peer)

    def error_response_for_cached(self, error: Exception, head: bytes) -> bytes:
        """The response to a request for which ``lookup_cached`` raised *error*."""
        found = self._heads.read_head(head)
        self._edge.metrics.fast_path_requests += 1
        request_id = chosen_id(None if found is None else found.get(_REQUEST_ID))
        return encode_error(
            self._errors, error, self._static_headers, request_id, method="GET", keep_alive=True
        )[1]

    def answer_in_full(self, head: bytes, peer: str) -> bytes | None:
        """`find_answer` without the native cache."""
        found = self._heads.read_head(head)
        if found is None:
            return None
        request_id = chosen_id(found.get(_REQUEST_ID))
        call = quick_call(found, found.target[_QUERY_AT:], peer, self._proxies_count)
        try:
            endpoint = self._endpoint
            ready = (
                serve_inline(self._edge, call) if endpoint is None else endpoint(self._edge, call)
            )
            if ready is None:
                return None
            answer = ready.encode(self._static_headers, request_id, keep_alive=True)
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            _, answer = encode_error(
                self._errors, error, self._static_headers, request_id, method="GET", keep_alive=True
            )
        self._edge.metrics.fast_path_requests += 1
        return answer


def _find_nothing(data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
    del data, start, end, peer
    return None
