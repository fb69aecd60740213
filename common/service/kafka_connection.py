"""How both planes connect to Kafka: the one place that builds the arguments of its clients."""

import base64
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import urlencode

import httpcore
import orjson
from aiokafka.abc import AbstractTokenProvider
from aiokafka.errors import KafkaConnectionError

from common.service.kafka_settings import KafkaSettings, SaslMechanism

_TOKEN_CALL_S = 5.0
_RENEW_AT = 0.8
"""Part of a token's life after which another is requested."""
_USUAL_LIFE_S = 300.0
"""Life of a token whose answer does not give one."""
_OK = 200


class KafkaSettingsInvalid(Exception):
    """A file of the Kafka settings cannot be used. The message names the variable, and what to do."""


@dataclass(frozen=True, slots=True)
class KafkaConnection:
    """*bootstrap*: ``host:port``, separated by commas. Without the rest: no encryption, no sign-in."""

    bootstrap: str
    client_id: str = "placard"
    rack: str | None = None
    security: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, settings: KafkaSettings) -> "KafkaConnection":
        """Reads the files that *settings* name. Raises `KafkaSettingsInvalid`."""
        security: dict[str, Any] = {"security_protocol": settings.kafka_security_protocol.value}
        if settings.kafka_security_protocol.is_encrypted:
            security["ssl_context"] = _open_tls(settings)
        if settings.kafka_sasl_mechanism is not None:
            security |= _sign_in(settings, settings.kafka_sasl_mechanism)
        return cls(
            settings.kafka_bootstrap_servers,
            settings.kafka_client_id,
            settings.kafka_rack or None,
            tuple(security.items()),
        )

    def client_arguments(self) -> dict[str, Any]:
        """The arguments of every aiokafka client: producer, consumer and administrator."""
        return {
            "bootstrap_servers": self.bootstrap,
            "client_id": self.client_id,
            **dict(self.security),
        }


class ClientCredentialsTokens(AbstractTokenProvider):  # type: ignore[misc]  # aiokafka has no types
    """
    Tokens of OAuth 2's client credentials grant (RFC 6749, section 4.4), each used for most of its life. A token that
    cannot be fetched is a `KafkaConnectionError`, which callers handle as a broker that is unavailable.
    """

    def __init__(
        self,
        url: str,
        client_id: str,
        secret: str,
        scope: str,
        *,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        self._url = url
        pair = f"{client_id}:{secret}".encode()
        self._headers: dict[bytes | str, bytes | str] = {
            "Authorization": f"Basic {base64.b64encode(pair).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        form = {"grant_type": "client_credentials", **({"scope": scope} if scope else {})}
        self._form = urlencode(form).encode()
        self._now_s = now_s
        self._token = ""
        self._renew_s = float("-inf")

    async def token(self) -> str:
        if self._now_s() >= self._renew_s:
            sent_s = self._now_s()
            try:
                answer = await self._fetch()
                self._token = str(answer["access_token"])
                life_s = float(answer.get("expires_in", _USUAL_LIFE_S))
            except (*_FETCH_ERRORS, KeyError, TypeError, ValueError) as error:
                raise KafkaConnectionError(
                    f"no token from {self._url} (PLACARD_KAFKA_OAUTH_TOKEN_URL): {error!r}"
                ) from error
            self._renew_s = sent_s + _RENEW_AT * life_s
        return self._token

    async def _fetch(self) -> dict[str, Any]:
        limits = dict.fromkeys(("connect", "read", "write", "pool"), _TOKEN_CALL_S)
        async with httpcore.AsyncConnectionPool() as http:
            answer = await http.request(
                "POST",
                self._url,
                headers=self._headers,
                content=self._form,
                extensions={"timeout": limits},
            )
        if answer.status != _OK:
            raise ValueError(f"status {answer.status}")
        found: dict[str, Any] = orjson.loads(answer.content)
        return found


_FETCH_ERRORS = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError)


def _open_tls(settings: KafkaSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=settings.kafka_ca_file)
    except OSError as error:
        raise _unusable("PLACARD_KAFKA_CA_FILE", settings.kafka_ca_file, error) from error
    certificate, key = settings.kafka_certificate_file, settings.kafka_certificate_key_file
    if certificate is not None:
        try:
            context.load_cert_chain(certificate, key, password=_refuse_passphrase)
        except (OSError, ValueError) as error:
            name = "PLACARD_KAFKA_CERTIFICATE_FILE and PLACARD_KAFKA_CERTIFICATE_KEY_FILE"
            raise _unusable(name, f"{certificate}, {key}", error) from error
    return context


def _refuse_passphrase() -> str:
    """Without this, OpenSSL would ask on the terminal."""
    raise ValueError("the key has a passphrase, which is not supported")


def _sign_in(settings: KafkaSettings, mechanism: SaslMechanism) -> dict[str, Any]:
    password = _read_password(settings)
    if mechanism is SaslMechanism.OAUTHBEARER:
        tokens = ClientCredentialsTokens(
            settings.kafka_oauth_token_url,
            settings.kafka_username,
            password,
            settings.kafka_oauth_scope,
        )
        return {"sasl_mechanism": mechanism.value, "sasl_oauth_token_provider": tokens}
    return {
        "sasl_mechanism": mechanism.value,
        "sasl_plain_username": settings.kafka_username,
        "sasl_plain_password": password,
    }


def _read_password(settings: KafkaSettings) -> str:
    file = settings.kafka_password_file
    if file is None:
        return settings.kafka_password.get_secret_value()
    try:
        password = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise _unusable("PLACARD_KAFKA_PASSWORD_FILE", file, error) from error
    if not password:
        raise KafkaSettingsInvalid(f"PLACARD_KAFKA_PASSWORD_FILE {file} is empty.")
    return password


def _unusable(variable: str, file: object, error: Exception) -> KafkaSettingsInvalid:
    reason = str(error).removesuffix(".")
    return KafkaSettingsInvalid(
        f"{variable} {file}: {reason}. Give a readable file in the form that docs/operations.md describes."
    )
