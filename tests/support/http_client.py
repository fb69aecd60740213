"""The client that tests send requests with."""

import os
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from httpx_aiohttp import AiohttpTransport

from tests.support.waiting import PATIENCE_S


def http_client(
    *, connections: int = 100, is_fresh: bool = False, **options: Any
) -> httpx.AsyncClient:
    """
    A client of httpx with *options*, over up to *connections* of aiohttp, which take less processor time than its own.
    It sends the headers of httpx alone, and cookies are kept by httpx alone. An answer may take `PATIENCE_S`.
    A GET whose kept connection the server has closed is sent once more, on a new one.
    *is_fresh*: each request has a connection of its own, which the kernel gives to any process that listens.
    """
    tls = _tls(os.environ.get("SSL_CERT_FILE"))  # noqa: TID251 - as httpx reads it

    def open_session() -> ClientSession:
        return ClientSession(
            connector=TCPConnector(limit=connections, force_close=is_fresh, ssl=tls),
            cookie_jar=DummyCookieJar(),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        )

    transport = AiohttpTransport(verify=tls, client=open_session)
    return httpx.AsyncClient(transport=transport, **{"timeout": PATIENCE_S, **options})


@cache
def _tls(_authorities: str | None) -> SSLContext:
    """Made once for each file of authorities, because it reads the certificates of all."""
    return httpx.create_ssl_context()
