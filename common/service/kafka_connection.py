"""
How both planes connect to Kafka: the one place that builds the arguments of its clients. It does not import aiokafka:
`import aiokafka` adds 4 MB to the resident memory of a process, also where the stack has no broker.
"""

import ssl
from dataclasses import dataclass
from typing import Any

from common.service.kafka_settings import KafkaSettings, SaslMechanism


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
        from common.service.kafka_tokens import ClientCredentialsTokens

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
