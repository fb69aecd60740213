"""Checks of what a failover needs: the pooler's mode, the replica's lag, Sentinels, and certificates that end soon."""

import datetime as dt
from collections.abc import Iterable
from pathlib import Path

import asyncpg
from cryptography import x509
from redis.exceptions import RedisError
from sqlalchemy.engine import make_url

from common.service.redis_client import answering, open_sentinels
from common.service.redis_url import parse_redis_url
from common.values.clock import Clock
from control.foundation.settings import ControlSettings
from control.operations.doctor.finding import Finding, error, ok, warning
from control.storage.postgres_connector import PostgresConnector
from control.storage.read_replica import LAG_S

_CALL_S = 5.0
_SOON = dt.timedelta(days=14)
_SENTINELS = 3
"""With fewer, the loss of one leaves no majority."""
_ROUNDS = 3
_AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)


class _Unavailable(Exception):
    pass


async def check_pooler(settings: ControlSettings) -> list[Finding]:
    """
    Empty where no pooler is stated. Of two clients between transactions, a pooler in session mode gives each a session
    of its own; in transaction mode they share one, unless others use it at that moment, which a later round shows.
    """
    if not settings.database_direct_url:
        return []
    check, opened = "pooler.mode", list[asyncpg.Connection]()
    connector = PostgresConnector(settings.database_url)
    try:
        for _ in range(2):
            opened.append(await connector.connect(command_timeout=_CALL_S, statement_cache_size=0))
        pairs = [
            [await one.fetchval("select pg_backend_pid()") for one in opened]
            for _ in range(_ROUNDS)
        ]
    except _AWAY as failure:
        remedy = "Start the pooler, raise its `default_pool_size`, or correct PLACARD_DATABASE_URL."
        return [error("pooler.reachable", f"The pooler cannot be used: {failure!r}.", remedy)]
    finally:
        for one in opened:
            one.terminate()
    if all(pair == pairs[0] and pair[0] != pair[1] for pair in pairs):
        text = "The pooler holds a session for each client: it is in session mode, or no pooler."
        remedy = "Set `pool_mode = transaction`, or empty PLACARD_DATABASE_DIRECT_URL."
        return [warning(check, text, remedy)]
    return [ok(check, "The pooler is in transaction mode.")]


async def check_replica(settings: ControlSettings) -> list[Finding]:
    """Empty where reports have no replica."""
    if not settings.database_read_url:
        return []
    try:
        server = await PostgresConnector(settings.database_read_url).connect(
            command_timeout=_CALL_S
        )
        try:
            is_replica = await server.fetchval("select pg_is_in_recovery()")
            lag_s = await server.fetchval(LAG_S) if is_replica else 0
        finally:
            server.terminate()
    except _AWAY as failure:
        text = f"The replica cannot be used, so reports read from the primary: {failure!r}."
        return [warning("replica.reachable", text, "Correct PLACARD_DATABASE_READ_URL.")]
    if not is_replica:
        text = "PLACARD_DATABASE_READ_URL is a primary."
        return [warning("replica.role", text, "Name a hot standby, or leave it empty.")]
    return [_check_lag(lag_s, settings.database_read_max_lag_s)]


def _check_lag(lag_s: float | None, most_s: float) -> Finding:
    check = "replica.lag"
    remedy = "Look at the replica's log, its disk and `pg_stat_replication` of the primary."
    if lag_s is None:
        return warning(check, "The replica is not connected to its primary.", remedy)
    text = f"The replica is {lag_s:.1f} s behind; reports use it up to {most_s:g} s."
    return warning(check, text, remedy) if lag_s > most_s else ok(check, text)


async def check_sentinels(url: str) -> list[Finding]:
    """*url*: of a Redis. Empty where it names no Sentinels."""
    found = parse_redis_url(url)
    if not found.primary:
        return []
    sentinels = open_sentinels(url, connect_s=_CALL_S)
    reasons, count = list[str](), len(found.addresses)
    try:
        for (host, port), sentinel in zip(found.addresses, sentinels.sentinels, strict=True):
            try:
                async with answering(_CALL_S, _Unavailable):
                    await sentinel.sentinel_ckquorum(found.primary)
            except (_Unavailable, RedisError) as failure:
                reasons.append(f"{host}:{port}: {failure}")
    finally:
        await sentinels.close()
    check = "redis.sentinels"
    if 2 * (count - len(reasons)) <= count:
        text = f"No majority of the {count} Sentinels can replace the primary. {reasons[0]}."
        return [error(check, text, "Start the Sentinels, and compare `quorum` with their number.")]
    if reasons:
        text = f"{len(reasons)} of {count} Sentinels cannot be used. {reasons[0]}."
        return [warning(check, text, "Start it, or correct its address in PLACARD_REDIS_URL.")]
    if count < _SENTINELS:
        text = f"PLACARD_REDIS_URL names {count} Sentinels."
        return [warning(check, text, "Run three on different machines, and name them all.")]
    return [ok(check, f"{count} Sentinels can replace the primary.")]


def check_certificates(settings: ControlSettings, clock: Clock) -> list[Finding]:
    """Of every certificate file that a setting or a URL names."""
    now = dt.datetime.fromtimestamp(clock.now_ms() / 1000, dt.UTC)
    return [_check_certificate(path, now) for path in sorted(set(_certificate_files(settings)))]


def _certificate_files(settings: ControlSettings) -> Iterable[Path]:
    for url in (
        settings.redis_url,
        settings.snapshot_redis,
        settings.lease_redis,
        settings.log_redis,
    ):
        found = parse_redis_url(url)
        yield from filter(None, (found.ca_file, found.certificate_file))
    yield from filter(None, (settings.kafka_ca_file, settings.kafka_certificate_file))
    yield from filter(None, (settings.internal_ca_file, settings.internal_certificate_file))
    for url in (settings.database_url, settings.database_direct_url, settings.database_read_url):
        query = make_url(url).query if url else {}
        for name in ("sslrootcert", "sslcert"):
            path = query.get(name)
            if isinstance(path, str) and path != "system":
                yield Path(path)


def _check_certificate(path: Path, now: dt.datetime) -> Finding:
    check = f"certificate.{path.name}"
    try:
        ends = min(
            one.not_valid_after_utc for one in x509.load_pem_x509_certificates(path.read_bytes())
        )
    except (OSError, ValueError) as failure:
        text = f"The certificate {path} cannot be read: {failure}."
        return error(check, text, "Give a readable PEM file.")
    text = f"The certificate {path} is valid until {ends:%Y-%m-%d %H:%M} UTC."
    if ends <= now:
        return error(check, text, "Renew it: connections fail since then.")
    if ends - now < _SOON:
        return warning(check, text, "Renew it: connections fail after that.")
    return ok(check, text)
