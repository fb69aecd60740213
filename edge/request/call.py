"""The view of a request that endpoints get, whether it came through Sanic or by the fast path."""

from collections.abc import Sequence
from typing import Final, Protocol, final

from sanic import Request

from common.decision.rules.kinds import HEADERS
from common.http.client_address import Client, client_at, peer_of
from common.http.fast_head import PER_REQUEST_HEADERS, FastHead
from common.user_agent.user_agent import MAX_USER_AGENT_CHARS
from common.values.enums import Surface
from edge.request.device import UNKNOWN_DEVICE, Device, device_of
from edge.request.libraries import library_surface
from edge.request.query import Query, parse_query

_FORWARDED: Final = "x-forwarded-for"
_PREFETCH_HEADERS: Final = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_PREFETCH_WORDS: Final = ("prefetch", "prerender", "preview")
_TARGETING: Final = tuple([header.name.lower() for header in HEADERS])

HeaderSignals = Sequence[tuple[str, object]]
"""Name and value of each signal that a `Header` gives."""


class Headers(Protocol):
    """Request headers; names in lower case."""

    def get(self, name: str, /) -> str | None:
        """The first value; None where the header is missing."""
        ...

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]: ...


@final
class Caller:
    """
    The request headers that describe the client and its user.

    They are constant over the requests of one user on one site. So the fast path caches this object, and each derived
    value is computed once.

    ``service_key``, ``authorization``, ``user_agent``: as they came; None where they did not. *targeting*: the texts of
    the headers that targeting kinds declare. ``library``: the surface of the client library that *client* names as
    ``NAME/VERSION``. ``prefetch``: the browser declares that the user has not requested this yet.
    """

    def __init__(  # noqa: PLR0917 - the headers, in a row
        self,
        service_key: str | None,
        authorization: str | None,
        user_agent: str | None,
        targeting: Sequence[str | None],
        gpc: bool,  # noqa: FBT001 - as the headers stand
        dnt: bool,  # noqa: FBT001 - as above
        client: str | None = None,
        *,
        prefetch: bool = False,
    ) -> None:
        self.service_key = service_key
        self.authorization = authorization
        self.user_agent = user_agent
        self.gpc = gpc
        self.dnt = dnt
        self.library: Surface | None = library_surface(client)
        self.prefetch = prefetch
        self._targeting = targeting
        self._device: Device | None = None
        self._signals: HeaderSignals | None = None
        self._agent: str | None = None
        self._is_agent_read = False

    @property
    def device(self) -> Device:
        if self._device is None:
            agent = self.user_agent
            self._device = device_of(agent) if agent else UNKNOWN_DEVICE
        return self._device

    @property
    def agent(self) -> str | None:
        """``user_agent`` in the form in which events are judged, see `readable_agent`."""
        if not self._is_agent_read:
            self._agent = readable_agent(self.user_agent or "")
            self._is_agent_read = True
        return self._agent

    @property
    def signals(self) -> HeaderSignals:
        """Of the headers that came."""
        if self._signals is None:
            self._signals = [
                (header.signal, header.parse(text))
                for header, text in zip(HEADERS, self._targeting, strict=True)
                if text is not None
            ]
        return self._signals


@final
class Call:
    """
    A request as endpoints see it.

    ``client``: the connection's address, or the one that the trusted proxies saw; see `common.http.client_address`.
    """

    def __init__(self, headers: Headers, caller: Caller, query_string: str, client: Client) -> None:
        self.headers = headers
        self.caller = caller
        self.query_string = query_string
        self.client = client
        self._query: Query | None = None

    @property
    def query(self) -> Query:
        """Parsed at the first access."""
        if self._query is None:
            self._query = parse_query(self.query_string)
        return self._query


def call_of(request: Request) -> Call:
    proxies_count: int = request.app.ctx.edge.settings.proxies_count
    return call_with(request.headers, request.query_string, peer_of(request), proxies_count)


def call_with(headers: Headers, query_string: str, peer: str, proxies_count: int) -> Call:
    """*peer*: the address of the connection's other end, empty where it has none. *proxies_count*: see `client_at`."""
    caller = _caller(headers)
    forwarded_for = ",".join(headers.getall(_FORWARDED, ()))
    return Call(headers, caller, query_string, client_at(peer, forwarded_for, proxies_count))


def quick_call(head: FastHead, query_string: str, peer: str, proxies_count: int) -> Call:
    """As `call_with`, for a head that Sanic did not parse."""
    fresh, block = head.per_request, head.stable
    if fresh and not PER_REQUEST_HEADERS.issuperset(fresh):  # a header too long to be cached
        return call_with(head, query_string, peer, proxies_count)
    caller = block.cached_values
    if not isinstance(caller, Caller):
        caller = block.cached_values = _caller(head)
    forwarded_for = fresh.get(_FORWARDED) or block.fields.get(_FORWARDED) or ""
    return Call(head, caller, query_string, client_at(peer, forwarded_for, proxies_count))


def _caller(headers: Headers) -> Caller:
    return Caller(
        headers.get("x-service-key"),
        headers.get("authorization"),
        headers.get("user-agent"),
        [headers.get(name) for name in _TARGETING],
        "1" in headers.getall("sec-gpc", ()),
        "1" in headers.getall("dnt", ()),
        headers.get("x-placard-client"),
        prefetch=is_prefetch(headers),
    )


def is_prefetch(headers: Headers) -> bool:
    """Whether the browser declares that the user has not requested this yet."""
    for name in _PREFETCH_HEADERS:
        value = headers.get(name)
        if value is not None and any(word in value.lower() for word in _PREFETCH_WORDS):
            return True
    return False


def readable_agent(text: str) -> str | None:
    """
    A user agent without surrounding spaces; None where it is empty or longer than `MAX_USER_AGENT_CHARS`.

    Sanic passes bytes that are not UTF-8 as surrogates. They become question marks, because user agents are hashed.
    """
    readable = text if text.isascii() else text.encode("utf-8", "replace").decode()
    agent = readable.strip()
    return agent if 0 < len(agent) <= MAX_USER_AGENT_CHARS else None
