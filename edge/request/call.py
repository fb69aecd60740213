"""What an endpoint may see of a request, whichever way it came in: through Sanic, or by the short way."""

from collections.abc import Sequence
from typing import Final, Protocol, final

from sanic import Request

from common.http.client_address import peer_of
from common.http.fast_head import FastHead
from common.user_agent.user_agent import MAX_USER_AGENT_CHARS
from edge.request.device import UNKNOWN_DEVICE, Device, device_of
from edge.request.languages import languages_of
from edge.request.query import Query, parse_query

_FORWARDED: Final = "x-forwarded-for"
_PREFETCH_HEADERS: Final = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_PREFETCH_WORDS: Final = ("prefetch", "prerender", "preview")
_SAYING: Final = frozenset(
    {"x-service-key", "authorization", "user-agent", "accept-language", "sec-gpc", "dnt"}
    | {"x-placard-client", *_PREFETCH_HEADERS}
)


class Headers(Protocol):
    """Request headers; names in lower case."""

    def get(self, name: str, /) -> str | None:
        """The first value."""
        ...

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]: ...


@final
class Caller:
    """
    What headers say of who asks and for whom. The same for call after call of one reader on one site, so the short way
    remembers it, and what is worked out of it here is worked out once.

    ``service_key``, ``authorization``, ``user_agent``, ``client`` (a client library's ``NAME/VERSION``): as they came;
    None where they did not. ``prefetch``: a browser declares that nobody has asked for this yet.
    """

    def __init__(  # noqa: PLR0917 - the headers, in a row
        self,
        service_key: str | None,
        authorization: str | None,
        user_agent: str | None,
        accept_language: str | None,
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
        self.client = client
        self.prefetch = prefetch
        self._accept_language = accept_language
        self._device: Device | None = None
        self._languages: tuple[str, ...] | None = None
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
        """``user_agent`` as events are judged by it, see `readable_agent`."""
        if not self._is_agent_read:
            self._agent = readable_agent(self.user_agent or "")
            self._is_agent_read = True
        return self._agent

    @property
    def languages(self) -> tuple[str, ...]:
        if self._languages is None:
            self._languages = languages_of(self._accept_language or "")
        return self._languages


@final
class Call:
    """
    ``peer``: the address of the connection's other end, empty where it has none. ``forwarded_for``: every
    ``X-Forwarded-For`` by comma.
    """

    def __init__(
        self, headers: Headers, caller: Caller, query_string: str, peer: str, forwarded_for: str
    ) -> None:
        self.headers = headers
        self.caller = caller
        self.query_string = query_string
        self.peer = peer
        self.forwarded_for = forwarded_for
        self._query: Query | None = None

    @property
    def query(self) -> Query:
        """Read at the first look."""
        if self._query is None:
            self._query = parse_query(self.query_string)
        return self._query


def call_of(request: Request) -> Call:
    return call_with(request.headers, request.query_string, peer_of(request))


def call_with(headers: Headers, query_string: str, peer: str) -> Call:
    forwarded_for = ",".join(headers.getall(_FORWARDED, ()))
    return Call(headers, _caller(headers), query_string, peer, forwarded_for)


def quick_call(head: FastHead, query_string: str, peer: str) -> Call:
    """The same of a head that Sanic did not see."""
    fresh, block = head.fresh, head.block
    if fresh and not _SAYING.isdisjoint(fresh):
        return call_with(head, query_string, peer)
    caller = block.about
    if not isinstance(caller, Caller):
        caller = block.about = _caller(head)
    forwarded_for = fresh.get(_FORWARDED) or block.fields.get(_FORWARDED) or ""
    return Call(head, caller, query_string, peer, forwarded_for)


def _caller(headers: Headers) -> Caller:
    return Caller(
        headers.get("x-service-key"),
        headers.get("authorization"),
        headers.get("user-agent"),
        headers.get("accept-language"),
        "1" in headers.getall("sec-gpc", ()),
        "1" in headers.getall("dnt", ()),
        headers.get("x-placard-client"),
        prefetch=is_prefetch(headers),
    )


def is_prefetch(headers: Headers) -> bool:
    """Whether a browser declares that nobody has asked for this yet."""
    for name in _PREFETCH_HEADERS:
        value = headers.get(name)
        if value is not None and any(word in value.lower() for word in _PREFETCH_WORDS):
            return True
    return False


def readable_agent(text: str) -> str | None:
    """
    A user agent without spaces around it; None where it is empty or absurdly long. Bytes that were no UTF-8, which
    Sanic hands on as halves of characters, become question marks: agents are hashed.
    """
    readable = text if text.isascii() else text.encode("utf-8", "replace").decode()
    agent = readable.strip()
    return agent if 0 < len(agent) <= MAX_USER_AGENT_CHARS else None
