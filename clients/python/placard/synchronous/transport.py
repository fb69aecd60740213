# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""Sends calls over pooled connections, and sends them again where that can help."""

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from placard.calls import Answer, Call, headers_of, network_error, read_response
from placard.errors import PlacardError, RateLimitedError
from placard.requests import Query, query_pairs
from placard.retries import LONGEST_PAUSE_S, Retries, retry_after_s

Sleep = Callable[[float], None]


class Transport:
    """One for each key: after a 429, no request is sent with it before the service's pause is over."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        kinds: Sequence[str],
        server: str,
        timeout_s: float,
        retries: Retries,
        http: httpx.Client | None,
        sleep: Sleep,
        monotonic: Callable[[], float],
    ) -> None:
        self.sleep = sleep
        self._url = url.rstrip("/")
        self._headers = headers_of(key, kinds, server)
        self._timeout_s = timeout_s
        self._retries = retries
        self._http = http or httpx.Client(follow_redirects=False)
        self._owns_http = http is None
        self._monotonic = monotonic
        self._pause: tuple[float, PlacardError] | None = None

    def send(self, call: Call) -> Answer:
        """Raises `PlacardError`."""
        retried = 0
        while True:
            self._await_pause()
            try:
                return self._send_once(call)
            except PlacardError as failure:
                self._keep_pause(failure)
                pause_s = self._retries.pause_s(failure, retried, repeatable=call.repeatable)
                if pause_s is None:
                    raise
            self.sleep(pause_s)
            retried += 1

    def request(self, call: Call) -> Any:
        """The body of the response."""
        return (self.send(call)).body

    def items(self, path: str, query: Query) -> Iterator[Any]:
        """The items of all pages. A page is requested when the one before is used up."""
        wanted = dict(query)
        while True:
            page = self.request(Call("GET", path, query_pairs(wanted), repeatable=True))
            for item in page["data"]:
                yield item
            if not page["has_more"]:
                return
            wanted["cursor"] = page["next_cursor"]

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def _send_once(self, call: Call) -> Answer:
        try:
            response = self._http.request(
                call.method,
                self._url + call.path,
                params=list(call.query) or None,
                content=call.content,
                headers={**self._headers, **call.all_headers},
                timeout=self._timeout_s,
            )
        except httpx.RequestError as failure:
            raise network_error(failure, self._url) from failure
        return read_response(response)

    def _keep_pause(self, failure: PlacardError) -> None:
        if isinstance(failure, RateLimitedError):
            self._pause = (self._monotonic() + retry_after_s(failure), failure)

    def _await_pause(self) -> None:
        # Read once a turn: another thread may end the pause between two reads.
        while (pause := self._pause) is not None:
            until, failure = pause
            left_s = until - self._monotonic()
            if left_s > LONGEST_PAUSE_S:
                raise failure
            if left_s > 0:
                self.sleep(left_s)
            elif self._pause is pause:
                self._pause = None


class Closeable:
    """Closes its connections at the end of an ``with``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


blocking_sleep: Sleep = time.sleep
monotonic = time.monotonic
