"""
A fetcher on httpcore that connects only to addresses that were checked.

It uses httpcore instead of httpx. httpcore has no proxies from the environment, no cookies, no redirects and no
decompression, so nothing needs to be disabled.
"""

import asyncio
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

import httpcore

from control.adapters.parsed_url import ParsedUrl, parse_url
from control.adapters.public_addresses import is_public
from control.ports.web import FetchRefusal, LookUpOutcome, NotFetched, Page, Resolver

BODY_BYTES = 524_288
DEADLINE_S = 10.0
_CONNECT_S = 3.0
_MAX_REDIRECTS = 3
_MAX_ADDRESSES = 4
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = frozenset({80, 443})


@dataclass(frozen=True, slots=True)
class FetchBudget:
    """Exceptions to the public internet, for tests with servers on loopback. No setting configures it."""

    addresses: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()


class GuardedFetcher:
    def __init__(
        self,
        resolver: Resolver,
        *,
        user_agent: str,
        body_bytes: int = BODY_BYTES,
        deadline_s: float = DEADLINE_S,
        allowance: FetchBudget = FetchBudget(),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """*tls*: the trusted authorities; None: those of the web."""
        self._resolver = resolver
        self._headers = [
            (b"User-Agent", user_agent.encode()),
            (b"Accept", b"text/html,*/*;q=0.5"),
            (b"Accept-Encoding", b"identity"),
        ]
        self._body_bytes = body_bytes
        self._deadline_s = deadline_s
        self._allowance = allowance
        self._tls = tls

    async def fetch(self, url: str, *, plain_http: bool = False) -> Page | NotFetched:
        trail: list[str] = [url]
        try:
            async with asyncio.timeout(self._deadline_s):
                found = await self._follow(trail, plain_http=plain_http)
        except TimeoutError:
            found = FetchRefusal.TIMED_OUT
        *redirects, last = trail
        if isinstance(found, FetchRefusal):
            return NotFetched(last, found, tuple(redirects))
        return Page(last, found.status, found.body, tuple(redirects))

    async def _follow(self, trail: list[str], *, plain_http: bool) -> "_Answer | FetchRefusal":
        """Appends every address that it follows to *trail*."""
        before: ParsedUrl | None = None
        while True:
            target = parse_url(trail[-1])
            refusal = self._refusal(target, before, plain_http=plain_http)
            if refusal is not None or isinstance(target, FetchRefusal):
                return refusal or FetchRefusal.URL_INVALID
            trail[-1] = target.text
            answer = await self._get(target)
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
        if target.port not in _PORTS | self._allowance.ports:
            return FetchRefusal.PORT_NOT_ALLOWED
        return None

    async def _get(self, target: ParsedUrl) -> "_Answer | FetchRefusal":
        addresses = await self._checked_addresses(target.host)
        if isinstance(addresses, FetchRefusal):
            return addresses
        try:
            return await self._read(target, addresses)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            return FetchRefusal.TLS_FAILED if _is_of_tls(error) else FetchRefusal.NOT_CONNECTED
        except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException):
            return FetchRefusal.NOT_HTTP

    async def _checked_addresses(self, host: str) -> tuple[str, ...] | FetchRefusal:
        """The only resolution of this hop: no other address is ever connected to."""
        found = await self._resolver.find_addresses(host)
        if not found.outcome.is_definite:
            return FetchRefusal.NAME_UNDECIDED
        if found.outcome is not LookUpOutcome.FOUND:
            return FetchRefusal.NAME_NOT_FOUND
        if not all(is_public(a) or a in self._allowance.addresses for a in found.values):
            return FetchRefusal.ADDRESS_NOT_PUBLIC
        return found.values[:_MAX_ADDRESSES]

    async def _read(self, target: ParsedUrl, addresses: Sequence[str]) -> "_Answer | FetchRefusal":
        if self._tls is None:
            self._tls = httpcore.default_ssl_context()
        pool = httpcore.AsyncConnectionPool(
            ssl_context=self._tls, max_connections=1, network_backend=_PinnedBackend(addresses)
        )
        headers = [(b"Host", target.authority.encode()), *self._headers]
        async with (
            pool,
            pool.stream(
                "GET", target.url, headers=headers, extensions={"timeout": {"connect": _CONNECT_S}}
            ) as response,
        ):
            return await _answer_of(response, self._body_bytes)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    leads_to: str | None


async def _answer_of(response: httpcore.Response, max_bytes: int) -> _Answer | FetchRefusal:
    headers = {name.lower(): value.decode("latin-1") for name, value in response.headers}
    leads_to = headers.get(b"location") if response.status in _REDIRECTS else None
    if leads_to is not None:
        return _Answer(response.status, b"", leads_to)
    if headers.get(b"content-encoding", "identity").strip().lower() not in ("identity", ""):
        return FetchRefusal.ENCODED
    body = bytearray()
    async for chunk in response.aiter_stream():
        body += chunk
        if len(body) >= max_bytes:
            break
    return _Answer(response.status, bytes(body[:max_bytes]), None)


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


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    """Connects to one of *addresses*, whatever host is requested; the host remains the TLS server name."""

    def __init__(self, addresses: Sequence[str]) -> None:
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
                return await self._sockets.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._sockets.connect_tcp(last, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
