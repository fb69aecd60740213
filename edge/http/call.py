"""What an endpoint may see of a request, whichever way it came in: through Sanic, or by the short way."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sanic import Request

from common.http.client_address import peer_of
from edge.http.query import Query, parse_query


class Headers(Protocol):
    """Request headers; names in lower case."""

    def get(self, name: str, /) -> str | None:
        """The first value."""
        ...

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]: ...


@dataclass(slots=True)
class Call:
    """``peer``: the address of the connection's other end, empty where it has none."""

    headers: Headers
    query_string: str
    peer: str
    _query: Query | None = field(default=None, init=False)

    @property
    def query(self) -> Query:
        """Read at the first look."""
        if self._query is None:
            self._query = parse_query(self.query_string)
        return self._query


def call_of(request: Request) -> Call:
    return Call(request.headers, request.query_string, peer_of(request))
