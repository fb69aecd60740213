"""
Opens connections to PostgreSQL from a URL in libpq's form: TLS, several hosts, and which of them is the primary.

Every connection of the control plane comes from here, so a URL means the same everywhere.
"""

from collections.abc import Mapping
from typing import Any

import asyncpg
from sqlalchemy.engine import URL, make_url

CONNECT_S = 2.0
"""Default of `connect_timeout`. Two hosts, one of them frozen, connect within five seconds."""
_ANY = "any"
_PRIMARY = "read-write"

_REFUSED = (
    *(OSError, TimeoutError, asyncpg.PostgresError),
    asyncpg.InternalClientError,  # a host whose role is not the one in `target_session_attrs`
)


class NoHostUsable(ConnectionError):
    """No host of the URL accepted a connection; the message has the reason of each, and no password."""

    def __init__(self, reasons: Mapping[str, Exception]) -> None:
        super().__init__("; ".join(f"{host}: {reason!r}" for host, reason in reasons.items()))


class PostgresConnector:
    """
    Connects to the first host of a URL that can be used, starting with the one that could be used last.

    Several hosts and their ports are lists with commas: ``postgresql://user@/name?host=a,b&port=5432,5433``.
    `target_session_attrs` is `read-write` where there are several hosts, else `any`, unless the URL states another
    value. `connect_timeout` holds for each host, in seconds. Certificate files are read at each connection.
    """

    def __init__(self, url: str) -> None:
        """Raises ValueError where the URL has as many ports as neither one nor its hosts."""
        parsed = make_url(url).set(drivername="postgresql")
        query: dict[str, Any] = dict(parsed.query)
        self._timeout_s = float(query.pop("connect_timeout", CONNECT_S))
        places = _parse_places(query.pop("host", None), query.pop("port", None), parsed)
        self._target = str(query.pop("target_session_attrs", _PRIMARY if len(places) > 1 else _ANY))
        self._dsns = {
            f"{host}:{port}" if port else host: _render(parsed, query, host, port)
            for host, port in places
        }
        self._last = next(iter(self._dsns))

    @property
    def wants_primary(self) -> bool:
        return self._target == _PRIMARY

    async def connect(self, **arguments: Any) -> asyncpg.Connection:
        """
        *arguments*: those of `asyncpg.connect`.

        Raises what asyncpg raises where the URL has one host, and else `NoHostUsable`.
        """
        reasons: dict[str, Exception] = {}
        for host in sorted(self._dsns, key=lambda name: name != self._last):
            try:
                connection = await asyncpg.connect(
                    self._dsns[host],
                    timeout=self._timeout_s,
                    target_session_attrs=self._target,
                    **arguments,
                )
            except _REFUSED as error:
                if len(self._dsns) == 1:
                    raise
                reasons[host] = error
            else:
                self._last = host
                return connection
        raise NoHostUsable(reasons)


def _parse_places(hosts: Any, ports: Any, url: URL) -> list[tuple[str, str]]:
    """Host and port of each server; empty: libpq's default."""
    names = _split(hosts) or [url.host or ""]
    numbers = _split(ports) or [str(url.port or "")]
    if len(numbers) == 1:
        numbers *= len(names)
    if len(numbers) != len(names):
        raise ValueError(
            f"The PostgreSQL URL names {len(names)} hosts and {len(numbers)} ports. "
            "Give one port, or one for each host."
        )
    return [_split_port(name, number) for name, number in zip(names, numbers, strict=True)]


def _split(found: Any) -> list[str]:
    """A parameter may stand once with commas, or several times."""
    several = found if isinstance(found, tuple) else (found,)
    return [part for text in several if text for part in str(text).split(",")]


def _split_port(name: str, port: str) -> tuple[str, str]:
    """Takes ``host:port``, too, which SQLAlchemy's form has; a path and an IPv6 address stay whole."""
    host, _, own = name.partition(":")
    return (host, own) if own.isdigit() and not name.startswith("/") else (name, port)


def _render(url: URL, query: Mapping[str, Any], host: str, port: str) -> str:
    place = {key: value for key, value in (("host", host), ("port", port)) if value}
    alone = URL.create("postgresql", url.username, url.password, database=url.database)
    return alone.set(query={**query, **place}).render_as_string(hide_password=False)
