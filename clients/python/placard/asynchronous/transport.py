"""Sends calls over pooled connections, and sends them again where that can help."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from placard.calls import Answer, Call, headers_of, network_error, read_response
from placard.errors import PlacardError, RateLimitedError
from placard.requests import Query, query_pairs
from placard.retries import LONGEST_PAUSE_S, Retries, retry_after_s

Sleep = Callable[[float], Awaitable[None]]


class AsyncTransport:
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
        http: httpx.AsyncClient | None,
        sleep: Sleep,
        monotonic: Callable[[], float],
    ) -> None:
        self.sleep = sleep
        self._url = url.rstrip("/")
        self._headers = headers_of(key, kinds, server)
        self._timeout_s = timeout_s
        self._retries = retries
        self._http = http or httpx.AsyncClient(follow_redirects=False)
        self._owns_http = http is None
        self._monotonic = monotonic
        self._pause: tuple[float, PlacardError] | None = None

    async def send(self, call: Call) -> Answer:
        """Raises `PlacardError`."""
        retried = 0
        while True:
            await self._await_pause()
            try:
                return await self._send_once(call)
            except PlacardError as failure:
                self._keep_pause(failure)
                pause_s = self._retries.pause_s(failure, retried, repeatable=call.repeatable)
                if pause_s is None:
                    raise
            await self.sleep(pause_s)
            retried += 1

    async def request(self, call: Call) -> Any:
        """The body of the response."""
        return (await self.send(call)).body

    async def items(self, path: str, query: Query) -> AsyncIterator[Any]:
        """The items of all pages. A page is requested when the one before is used up."""
        wanted = dict(query)
        while True:
            page = await self.request(Call("GET", path, query_pairs(wanted), repeatable=True))
            for item in page["data"]:
                yield item
            if not page["has_more"]:
                return
            wanted["cursor"] = page["next_cursor"]

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def _send_once(self, call: Call) -> Answer:
        try:
            response = await self._http.request(
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

    async def _await_pause(self) -> None:
        # Read once a turn: another thread may end the pause between two reads.
        while (pause := self._pause) is not None:
            until, failure = pause
            left_s = until - self._monotonic()
            if left_s > LONGEST_PAUSE_S:
                raise failure
            if left_s > 0:
                await self.sleep(left_s)
            elif self._pause is pause:
                self._pause = None


class AsyncCloseable:
    """Closes its connections at the end of an ``async with``."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


async_sleep: Sleep = asyncio.sleep
monotonic = time.monotonic
