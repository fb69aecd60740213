"""A URL to fetch, parsed once: what is checked here is what is sent."""

from dataclasses import dataclass
from urllib.parse import quote

import httpcore
from pydantic_core import PydanticCustomError

from common.contract.hostnames import parse_public_host, split_url
from common.fetching.public_addresses import Networks, listed_addresses
from common.fetching.web import FetchRefusal

_MAX_CHARS = 2048
_PORTS = {"https": 443, "http": 80}
_SAFE = "%/:=&?~#+!$,;'@()*[]"


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """``host``: a name, or an address of an allowed network, without brackets. ``path``: with the query, in ASCII."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def text(self) -> str:
        """The normalized URL."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def url(self) -> httpcore.URL:
        return httpcore.URL(
            scheme=self.scheme, host=self.host, port=self.port, target=self.path.encode()
        )


def parse_url(text: str, networks: Networks = ()) -> ParsedUrl | FetchRefusal:
    """
    *networks*: those whose addresses may stand in place of a name, and so may `localhost` for those of loopback.

    Stricter than browsers, so that no two parsers can read the URL differently: no user information, no backslash, no
    control character, no space, no empty port.
    """
    if len(text) > _MAX_CHARS or any(char <= " " or char in "\x7f\\" for char in text):
        return FetchRefusal.URL_INVALID
    try:
        parts = split_url(text)
        port = parts.port
    except ValueError:
        return FetchRefusal.URL_INVALID
    if parts.scheme not in _PORTS:
        return FetchRefusal.SCHEME_NOT_ALLOWED
    if not parts.hostname or "@" in parts.netloc or parts.netloc.endswith(":"):
        return FetchRefusal.URL_INVALID
    host = parts.hostname
    if not listed_addresses(host, networks):
        try:
            host = parse_public_host(host)
        except PydanticCustomError:
            return FetchRefusal.HOST_NOT_ALLOWED
    path = quote(parts.path or "/", safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    return ParsedUrl(
        parts.scheme, host, _PORTS[parts.scheme] if port is None else port, path + query
    )
