"""Checks that the configured external servers respond, before anything is started."""

import asyncio
from urllib.parse import urlsplit, urlunsplit

import asyncpg
from pydantic import ValidationError

from common.service.kafka_connection import KafkaConnection, KafkaSettingsInvalid
from common.service.kafka_settings import KafkaSettings
from common.service.redis_client import answering, patient_redis
from common.service.settings import explain_invalid
from deploy.standalone.errors import StartError
from deploy.standalone.kafka import answers

_PROBE_S = 5.0
_EMBEDDED = "an embedded one is used"


def check_database(url: str) -> None:
    async def ask() -> None:
        plain = url.replace("postgresql+asyncpg:", "postgresql:", 1)
        connection = await asyncpg.connect(plain, timeout=_PROBE_S)
        await connection.close()

    try:
        asyncio.run(ask())
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise _missing("PostgreSQL", "PLACARD_DATABASE_URL", url, error, _EMBEDDED) from error


def check_redis(url: str) -> None:
    async def ask() -> None:
        async with patient_redis(url, connect_s=_PROBE_S) as client, answering(_PROBE_S, OSError):
            await client.ping()

    try:
        asyncio.run(ask())
    except (OSError, ValueError) as error:
        raise _missing("Redis", "PLACARD_REDIS_URL", url, error, _EMBEDDED) from error


def check_kafka(bootstrap: str) -> None:
    """Connects as the programs of the stack will, by the other ``PLACARD_KAFKA_*`` variables."""
    try:
        connection = KafkaConnection.of(KafkaSettings(kafka_bootstrap_servers=bootstrap))
    except ValidationError as invalid:
        raise StartError(explain_invalid(invalid, KafkaSettings)) from invalid
    except KafkaSettingsInvalid as invalid:
        raise StartError(str(invalid)) from invalid
    if not answers(connection):
        error = OSError("no broker named itself")
        raise _missing(
            "Kafka",
            "PLACARD_KAFKA_BOOTSTRAP_SERVERS",
            bootstrap,
            error,
            "the event log is on Redis",
        )


def _missing(
    server: str, variable: str, address: str, error: Exception, otherwise: str
) -> StartError:
    reason = str(error).rstrip(".") or type(error).__name__
    return StartError(
        f"{server} does not answer at {_without_password(address)}, named by {variable}: {reason}. "
        f"Start that server, correct {variable}, or unset it: then {otherwise}."
    )


def _without_password(address: str) -> str:
    parts = urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    if not at:
        return address
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}@{host}"))
