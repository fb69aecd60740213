"""
A fetcher on httpcore that connects only to addresses that were checked.

It uses httpcore instead of httpx. httpcore has no proxies from the environment, no cookies, no redirects and no
decompression, so nothing needs to be disabled.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urljoin

import httpcore

from common.fetching.parsed_url import ParsedUrl, parse_url
from common.fetching.public_addresses import Networks, is_public, is_within, listed_addresses
from common.fetching.web import FetchRefusal, LookUpOutcome, NotFetched, Page, Resolver

BODY_BYTES = 524_288
HEAD_BYTES = 32_768
"""Limit of a response's head, informational ones before it included: h11 parses it on the event loop."""
DEADLINE_S = 10.0
_CONNECT_S = 3.0
_MAX_REDIRECTS = 3
_MAX_ADDRESSES = 4
_OK = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = frozenset({80, 443})

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class FetchBudget:
    """
    Exceptions to the public internet. ``addresses`` and ``ports`` are for tests with servers on loopback; no setting
    configures them.
    """

    addresses: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()
    networks: Networks = ()
    """Private networks whose addresses may be fetched from, at any port, also where a URL names the address itself."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that was received whole by a sink, or a status other than 200, of which nothing was received."""

    url: str
    status: int
    size_bytes: int = 0
    media_type: str = ""
    etag: str | None = None
    last_modified: str | None = None


Sink = Callable[[bytes], Awaitable[None]]
"""Receives a file's bytes in order."""


class GuardedFetcher:
    def __init__(
        self,
        resolver: Resolver,
        *,
        user_agent: str,
        accept: str = "text/html,*/*;q=0.5",
        body_bytes: int = BODY_BYTES,
        deadline_s: float = DEADLINE_S,
        allowance: FetchBudget = FetchBudget(),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """*tls*: the trusted authorities; None: those of the web."""
        self._resolver = resolver
        self._headers = [
            (b"User-Agent", user_agent.encode()),
            (b"Accept", accept.encode()),
            (b"Accept-Encoding", b"identity"),
        ]
        self._body_bytes = body_bytes
        self._deadline_s = deadline_s
        self._allowance = allowance
        self._tls = tls

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:
        trail: list[str] = [url]
        receive = partial(_receive_page, max_bytes=self._body_bytes)
        found = await self._followed(trail, receive, plain_http=plain_http)
        *redirects, last = trail
        if isinstance(found, FetchRefusal):
            return NotFetched(last, found, tuple(redirects))
        return Page(last, found.status, found.body, tuple(redirects))

    async def download(
        self, url: str, sink: Sink, *, max_bytes: int, headers: Headers = ()
    ) -> Download | NotFetched:
        """
        Passes a file to *sink*, by https or http. *headers*: more of the request. A file that is longer than
        *max_bytes* or ends before its stated length is not fetched, though *sink* received a part. Never raises for
        failures outside.
        """
        trail: list[str] = [url]
        receive = partial(_receive_file, sink=sink, max_bytes=max_bytes)
        found = await self._followed(trail, receive, plain_http=True, headers=headers)
        if isinstance(found, FetchRefusal):
            return NotFetched(trail[-1], found, tuple(trail[:-1]))
        fields = found.headers
        return Download(
            trail[-1],
            found.status,
            found.size_bytes,
            fields.get(b"content-type", "").partition(";")[0].strip().lower(),
            fields.get(b"etag"),
            fields.get(b"last-modified"),
        )

    async def _followed(
        self, trail: list[str], receive: "_Receive", *, plain_http: bool, headers: Headers = ()
    ) -> "_Answer | FetchRefusal":
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._follow(trail, receive, headers, plain_http=plain_http)
        except TimeoutError:
            return FetchRefusal.TIMED_OUT

    async def _follow(
        self, trail: list[str], receive: "_Receive", headers: Headers, *, plain_http: bool
    ) -> "_Answer | FetchRefusal":
        """Appends every address that it follows to *trail*."""
        before: ParsedUrl | None = None
        while True:
            target = parse_url(trail[-1], self._allowance.networks)
            refusal = self._refusal(target, before, plain_http=plain_http)
            if refusal is not None or isinstance(target, FetchRefusal):
                return refusal or FetchRefusal.URL_INVALID
            trail[-1] = target.text
            answer = await self._get(target, receive, headers)
            if isinstance(answer, FetchRefusal) or answer.leads_to is None:
                return answer
            trail.append(_joined(target.text, answer.leads_to))
            if len(trail) > _MAX_REDIRECTS + 1:
                return FetchRefusal.TOO_MANY_REDIRECTS
            before = target

    def _refusal(
        self, target: ParsedUrl | FetchRefusal, before: ParsedUrl | None, *, plain_http: bool
    ) -> FetchRefusal | None:
        if isinstance(target, FetchRefusal):
            return target
        if target.scheme == "http" and before is not None and before.scheme == "https":
            return FetchRefusal.DOWNGRADED
        if target.scheme == "http" and not plain_http:
            return FetchRefusal.SCHEME_NOT_ALLOWED
        is_listed = listed_addresses(target.host, self._allowance.networks)
        if not is_listed and target.port not in _PORTS | self._allowance.ports:
            return FetchRefusal.PORT_NOT_ALLOWED
        return None

    async def _get(
        self, target: ParsedUrl, receive: "_Receive", headers: Headers
    ) -> "_Answer | FetchRefusal":
        addresses = await self._checked_addresses(target.host)
        if isinstance(addresses, FetchRefusal):
            return addresses
        try:
            return await self._read(target, addresses, receive, headers)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            return FetchRefusal.TLS_FAILED if _is_of_tls(error) else FetchRefusal.NOT_CONNECTED
        except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException):
            return FetchRefusal.NOT_HTTP

    async def _checked_addresses(self, host: str) -> tuple[str, ...] | FetchRefusal:
        """The only resolution of this hop: no other address is ever connected to."""
        listed = listed_addresses(host, self._allowance.networks)
        if listed:
            return listed
        found = await self._resolver.find_addresses(host)
        if not found.outcome.is_definite:
            return FetchRefusal.NAME_UNDECIDED
        if found.outcome is not LookUpOutcome.FOUND:
            return FetchRefusal.NAME_NOT_FOUND
        allowed = self._allowance
        if not all(
            is_public(a) or a in allowed.addresses or is_within(a, allowed.networks)
            for a in found.values
        ):
            return FetchRefusal.ADDRESS_NOT_PUBLIC
        return found.values[:_MAX_ADDRESSES]

    async def _read(
        self,
        target: ParsedUrl,
        addresses: Sequence[str],
        receive: "_Receive",
        more: Headers,
    ) -> "_Answer | FetchRefusal":
        if self._tls is None:
            self._tls = httpcore.default_ssl_context()
        backend = _PinnedBackend(addresses)
        pool = httpcore.AsyncConnectionPool(
            ssl_context=self._tls, max_connections=1, network_backend=backend
        )
        headers = [(b"Host", target.authority.encode()), *self._headers, *more]
        async with (
            pool,
            pool.stream(
                "GET", target.url, headers=headers, extensions={"timeout": {"connect": _CONNECT_S}}
            ) as response,
        ):
            backend.head.left = None
            return await _answer_of(response, receive)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes = b""
    leads_to: str | None = None
    headers: Mapping[bytes, str] = field(default_factory=dict)
    size_bytes: int = 0


_Receive = Callable[[httpcore.Response], Awaitable[_Answer | FetchRefusal]]


async def _answer_of(response: httpcore.Response, receive: _Receive) -> _Answer | FetchRefusal:
    headers = {name.lower(): value.decode("latin-1") for name, value in response.headers}
    leads_to = headers.get(b"location") if response.status in _REDIRECTS else None
    if leads_to is not None:
        return _Answer(response.status, leads_to=leads_to)
    if headers.get(b"content-encoding", "identity").strip().lower() not in ("identity", ""):
        return FetchRefusal.ENCODED
    answer = await receive(response)
    return replace(answer, headers=headers) if isinstance(answer, _Answer) else answer


async def _receive_page(response: httpcore.Response, *, max_bytes: int) -> _Answer | FetchRefusal:
    body = bytearray()
    async for chunk in response.aiter_stream():
        body += chunk
        if len(body) >= max_bytes:
            break
    return _Answer(response.status, bytes(body[:max_bytes]))


async def _receive_file(
    response: httpcore.Response, *, sink: Sink, max_bytes: int
) -> _Answer | FetchRefusal:
    if response.status != _OK:
        return _Answer(response.status)
    size_bytes = 0
    async for chunk in response.aiter_stream():
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            return FetchRefusal.TOO_LARGE
        await sink(chunk)
    return _Answer(response.status, size_bytes=size_bytes)


def _joined(base: str, location: str) -> str:
    """Returns the next URL; *location* itself where it cannot be parsed, which `parse_url` then refuses."""
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _is_of_tls(error: BaseException | None) -> bool:
    """One error of httpcore stands for both; its cause distinguishes TLS failures from failed connections."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


@dataclass(slots=True)
class _HeadBudget:
    left: int | None = HEAD_BYTES
    """Bytes that may still arrive before the head is complete; None: it is, and nothing is counted any more."""


class _CountedStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream, head: _HeadBudget) -> None:
        self._stream = stream
        self._head = head

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's signature
        left = self._head.left
        if left is None:
            return await self._stream.read(max_bytes, timeout)
        if left == 0:
            raise httpcore.RemoteProtocolError("The head of the response is too long.")
        received = await self._stream.read(min(max_bytes, left), timeout)
        self._head.left = left - len(received)
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as above
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - as above
    ) -> httpcore.AsyncNetworkStream:
        secure = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _CountedStream(secure, self._head)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    """
    Connects to one of *addresses*, whatever host is requested; the host remains the TLS server name. ``head``: of the
    one response that is read.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        self.head = _HeadBudget()
        self._addresses = addresses
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,  # noqa: ARG002 - resolved and checked before
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        *others, last = self._addresses
        for address in others:
            try:
                return await self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._connect(last, port, timeout, local_address, socket_options)

    async def _connect(self, *where: Any) -> httpcore.AsyncNetworkStream:
        return _CountedStream(await self._sockets.connect_tcp(*where), self.head)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
