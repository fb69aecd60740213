"""Redis connections of both planes: every wait is bounded, nothing is retried implicitly, no cancellation is lost."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import (
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
)
from redis.backoff import NoBackoff
from redis.credentials import CredentialProvider, UsernamePasswordCredentialProvider
from redis.exceptions import (
    AskError,
    ClusterCrossSlotError,
    ClusterDownError,
    MovedError,
    ReadOnlyError,
    RedisError,
)
from redis.exceptions import ConnectionError as RedisConnectionError

from common.service.redis_cluster import Address, ClusterRedis
from common.service.redis_settings import EVERY_ROLE
from common.service.redis_url import RedisUrl, parse_redis_url

_SENTINEL_S = 1.0
"""Time for each of the Sentinels, of which the next is asked then."""
_OF_A_CLUSTER = (AskError, MovedError, ClusterCrossSlotError, ClusterDownError)
_NO_CLUSTER = "the server is part of a Redis Cluster: name it by `redis+cluster://`"


def patient_redis(url: str, *, connect_s: float, protocol: int | None = None) -> Redis:
    """
    Returns a client that connects on first use. It waits for a response for ever: use every call inside `answering`.

    The library's own timeout is off, because it sends through `asyncio.wait_for`, which in Python 3.11 may return
    instead of being cancelled. Its retries are off too, because they hold a caller for seconds when a server hangs.
    Raises ValueError for a *url* that `parse_redis_url` refuses.
    """
    found = parse_redis_url(url)
    if found.is_cluster:
        return ClusterRedis(
            found.addresses,
            lambda address: _open(found, address, connect_s=connect_s, protocol=protocol),
        )
    if found.primary:
        common = _common(found, connect_s, protocol)
        sentinels = open_sentinels(url, connect_s=connect_s)
        kind = _SentinelTlsConnection if found.is_encrypted else SentinelManagedConnection
        pool: ConnectionPool = SentinelConnectionPool(  # type: ignore[no-untyped-call]  # the library's, untyped
            found.primary, sentinels, connection_class=kind, **common, **_tls(found)
        )
        return _SentinelRedis(pool, sentinels)
    address = found.addresses[0] if found.addresses else None
    return _open(found, address, connect_s=connect_s, protocol=protocol)


def _open(
    found: RedisUrl, address: Address | None, *, connect_s: float, protocol: int | None
) -> Redis:
    """A client of the one server at *address*, or at the path of *found*."""
    common = _common(found, connect_s, protocol)
    if address is None:
        kind: type = _PrimaryByPath
        common["path"] = found.path
    else:
        kind = _PrimaryByTls if found.is_encrypted else _PrimaryByName
        common["host"], common["port"] = address
    return Redis.from_pool(ConnectionPool(connection_class=kind, **common, **_tls(found)))


class PatientSentinel(Sentinel):
    """
    Finds the primary in a task that its callers share. So a caller that stops waiting does not end the search, and
    one frozen Sentinel delays it by a second once.
    """

    _search: "asyncio.Task[tuple[str, int]] | None" = None

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        if self._search is None or self._search.done():
            self._search = asyncio.create_task(self._discover(service_name))
            self._search.add_done_callback(_note_failure)
        return await asyncio.shield(self._search)

    async def _discover(self, service_name: str) -> tuple[str, int]:
        """A Sentinel that failed goes to the end, so that the next search does not begin with it."""
        for _ in range(len(self.sentinels)):
            try:
                async with asyncio.timeout(_SENTINEL_S):
                    found = await self.sentinels[0].sentinel_get_master_addr_by_name(service_name)
            except (RedisError, OSError, TimeoutError):
                found = None
            if isinstance(found, tuple):
                return _text(found[0]), int(found[1])
            self.sentinels.append(self.sentinels.pop(0))
        raise RedisConnectionError(f"no Sentinel knows a primary named {service_name}")

    async def close(self) -> None:
        if self._search is not None:
            self._search.cancel()
        for sentinel in self.sentinels:
            await sentinel.aclose()


def open_sentinels(url: str, *, connect_s: float) -> PatientSentinel:
    """The clients of the Sentinels that *url* names. They connect on first use."""
    found = parse_redis_url(url)
    arguments = _arguments(connect_s, None)
    arguments["credential_provider"] = _credentials(
        found.sentinel_user, found.sentinel_password, found.sentinel_password_file
    )
    kind = _TlsConnection if found.is_encrypted else Connection
    sentinels = PatientSentinel([])  # type: ignore[no-untyped-call]  # the library's, untyped
    sentinels.sentinels = [
        Redis.from_pool(
            ConnectionPool(connection_class=kind, host=host, port=port, **arguments, **_tls(found))
        )
        for host, port in found.addresses
    ]
    return sentinels


@asynccontextmanager
async def answering(
    within_s: float, unavailable: type[Exception], *, setting: str = EVERY_ROLE
) -> AsyncIterator[None]:
    """
    Raises *unavailable*, with a message, where Redis is unreachable, rejects, or does not respond *within_s*.

    *setting*: the setting that names the server, of `redis_settings`; the message contains it.
    """
    try:
        async with asyncio.timeout(within_s):
            yield
    except (RedisError, OSError, TimeoutError, ssl.SSLError) as error:
        reason = str(error) or f"no answer within {within_s} s"
        if isinstance(error, _OF_A_CLUSTER):
            reason = f"{_NO_CLUSTER} ({reason})"
        raise unavailable(f"Redis ({setting}): {reason}") from error


class _SentinelRedis(Redis):
    def __init__(self, pool: ConnectionPool, sentinels: PatientSentinel) -> None:
        super().__init__(connection_pool=pool)
        self.auto_close_connection_pool = True
        self._sentinels = sentinels

    async def aclose(self, close_connection_pool: bool | None = None) -> None:  # noqa: FBT001 - the library's
        await super().aclose(close_connection_pool)
        await self._sentinels.close()


class _TlsConnection(SSLConnection):
    """Trusts the authorities of ``ca_file`` alone, or the system's without one. Files are read at each connection."""

    def __init__(
        self,
        *,
        ca_file: Path | None,
        certificate_file: Path | None,
        certificate_key_file: Path | None,
        **arguments: Any,
    ) -> None:
        super().__init__(**arguments)
        self._open_tls = partial(open_client_tls, ca_file, certificate_file, certificate_key_file)

    async def _connect(self) -> None:
        self.ssl_context.context = await asyncio.to_thread(self._open_tls)
        await super()._connect()  # type: ignore[no-untyped-call]  # the library's, untyped


class _SentinelTlsConnection(SentinelManagedConnection, _TlsConnection):
    pass


class _OfPrimary(AbstractConnection):
    """
    Ends where the server became a replica: the next call resolves the name again, which may lead to the new primary.
    Without that, every write would be refused until a restart.
    """

    async def read_response(self, *arguments: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*arguments, **options)
        except ReadOnlyError as error:
            await self.disconnect(nowait=True)
            raise RedisConnectionError(f"the server is a replica ({error})") from error


class _PrimaryByPath(_OfPrimary, UnixDomainSocketConnection):
    pass


class _PrimaryByName(_OfPrimary, Connection):
    pass


class _PrimaryByTls(_OfPrimary, _TlsConnection):
    pass


class _Credentials(CredentialProvider):
    """Reads *file* at each connection, so that a new password needs no restart."""

    def __init__(self, user: str | None, file: Path) -> None:
        self._user = user
        self._file = file

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        password = self._file.read_text(encoding="utf-8").strip()
        return (self._user, password) if self._user else (password,)

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        return self.get_credentials()


def open_client_tls(
    ca_file: Path | None, certificate_file: Path | None, certificate_key_file: Path | None
) -> ssl.SSLContext:
    """
    A context that verifies the server's certificate and name. Raises OSError for a file that cannot be read, and
    ValueError for a key with a passphrase.
    """
    context = ssl.create_default_context(cafile=ca_file)
    if certificate_file is not None:
        context.load_cert_chain(certificate_file, certificate_key_file, refuse_passphrase)
    return context


def refuse_passphrase() -> str:
    """Without this, OpenSSL would ask on the terminal."""
    raise ValueError("the key has a passphrase, which is not supported")


def _arguments(connect_s: float, protocol: int | None) -> dict[str, Any]:
    return {
        "socket_timeout": None,
        "socket_connect_timeout": connect_s,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "protocol": protocol,
    }


def _common(found: RedisUrl, connect_s: float, protocol: int | None) -> dict[str, Any]:
    common = _arguments(connect_s, protocol) | {"db": found.db}
    common["credential_provider"] = _credentials(found.user, found.password, found.password_file)
    return common


def _tls(found: RedisUrl) -> dict[str, Any]:
    if not found.is_encrypted:
        return {}
    return {
        "ca_file": found.ca_file,
        "certificate_file": found.certificate_file,
        "certificate_key_file": found.certificate_key_file,
    }


def _credentials(
    user: str | None, password: str | None, file: Path | None
) -> CredentialProvider | None:
    if file is not None:
        return _Credentials(user, file)
    return None if password is None else UsernamePasswordCredentialProvider(user, password)


def _text(found: bytes | str) -> str:
    return found.decode() if isinstance(found, bytes) else found


def _note_failure(search: "asyncio.Task[tuple[str, int]]") -> None:
    """Retrieves the error, because every caller may have stopped waiting."""
    if not search.cancelled():
        search.exception()
