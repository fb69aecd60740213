"""Settings of the connections to Kafka, alike for every process that opens one."""

from enum import StrEnum
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class KafkaProtocol(StrEnum):
    """Kafka's own names."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def is_encrypted(self) -> bool:
        return self in {KafkaProtocol.SSL, KafkaProtocol.SASL_SSL}

    @property
    def signs_in(self) -> bool:
        return self in {KafkaProtocol.SASL_PLAINTEXT, KafkaProtocol.SASL_SSL}


class SaslMechanism(StrEnum):
    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"
    OAUTHBEARER = "OAUTHBEARER"


class KafkaSettings(BaseSettings):
    """Contradictions are refused with a message that names the variables; files are read by `KafkaConnection.of`."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    kafka_bootstrap_servers: str = Field(
        "", description="Kafka bootstrap servers; empty: the event log is on Redis Streams."
    )
    kafka_security_protocol: KafkaProtocol = Field(
        KafkaProtocol.PLAINTEXT,
        description="Kafka's protocol: `PLAINTEXT`, `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`.",
    )
    kafka_ca_file: Path | None = Field(
        None,
        description="PEM file of the authorities that sign the brokers' certificates; none: the system's.",
    )
    kafka_certificate_file: Path | None = Field(
        None, description="PEM file of the client's certificate and its chain, for mutual TLS."
    )
    kafka_certificate_key_file: Path | None = Field(
        None, description="PEM file of that certificate's key, without a passphrase."
    )
    kafka_sasl_mechanism: SaslMechanism | None = Field(
        None,
        description="Sign-in at Kafka: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512` or `OAUTHBEARER`.",
    )
    kafka_username: str = Field(
        "", description="User at Kafka; with `OAUTHBEARER` the client's id at the token URL."
    )
    kafka_password: SecretStr = Field(
        SecretStr(""), description="That user's password, or the client's secret."
    )
    kafka_password_file: Path | None = Field(
        None, description="File with that password, instead of the variable."
    )
    kafka_oauth_token_url: str = Field(
        "", description="With `OAUTHBEARER`: where the client's credentials are given for a token."
    )
    kafka_oauth_scope: str = Field("", description="Scope of the requested token; empty: none.")
    kafka_client_id: str = Field(
        "placard", description="Name of the connections in Kafka's logs, metrics and quotas."
    )
    kafka_rack: str = Field(
        "",
        description="Zone of this machine: ingest reads from the replica in it; empty: from the leader.",
    )

    @model_validator(mode="after")
    def _check_kafka(self) -> Self:
        for problem in (self._find_tls_problem(), self._find_sign_in_problem()):
            if problem:
                raise ValueError(problem)
        return self

    def _find_tls_problem(self) -> str | None:
        pair = (self.kafka_certificate_file, self.kafka_certificate_key_file)
        if (pair[0] is None) is not (pair[1] is None):
            return (
                "PLACARD_KAFKA_CERTIFICATE_FILE and PLACARD_KAFKA_CERTIFICATE_KEY_FILE belong together. "
                "Set both, or neither."
            )
        if any((self.kafka_ca_file, *pair)) and not self.kafka_security_protocol.is_encrypted:
            return (
                f"PLACARD_KAFKA_SECURITY_PROTOCOL is {self.kafka_security_protocol}, which does not encrypt, but "
                "certificate files are set. Set it to SSL or SASL_SSL, or remove PLACARD_KAFKA_CA_FILE and "
                "PLACARD_KAFKA_CERTIFICATE_FILE."
            )
        return None

    def _find_sign_in_problem(self) -> str | None:
        mechanism, protocol = self.kafka_sasl_mechanism, self.kafka_security_protocol
        has_password = bool(self.kafka_password.get_secret_value())
        if not protocol.signs_in:
            if mechanism or self.kafka_username or has_password or self.kafka_password_file:
                return (
                    f"PLACARD_KAFKA_SECURITY_PROTOCOL is {protocol}, which does not sign in, but a mechanism, user or "
                    "password is set. Set it to SASL_SSL, or remove PLACARD_KAFKA_SASL_MECHANISM, "
                    "PLACARD_KAFKA_USERNAME and PLACARD_KAFKA_PASSWORD."
                )
        elif mechanism is None:
            return (
                f"PLACARD_KAFKA_SECURITY_PROTOCOL is {protocol}. Name PLACARD_KAFKA_SASL_MECHANISM."
            )
        elif not self.kafka_username or not (has_password or self.kafka_password_file):
            return (
                f"PLACARD_KAFKA_SASL_MECHANISM is {mechanism}. Set PLACARD_KAFKA_USERNAME, and PLACARD_KAFKA_PASSWORD "
                "or PLACARD_KAFKA_PASSWORD_FILE."
            )
        if has_password and self.kafka_password_file:
            return "PLACARD_KAFKA_PASSWORD and PLACARD_KAFKA_PASSWORD_FILE are both set. Keep one."
        return self._find_token_problem()

    def _find_token_problem(self) -> str | None:
        wants_token = self.kafka_sasl_mechanism is SaslMechanism.OAUTHBEARER
        if wants_token is not bool(self.kafka_oauth_token_url):
            return (
                "PLACARD_KAFKA_SASL_MECHANISM=OAUTHBEARER and PLACARD_KAFKA_OAUTH_TOKEN_URL belong together. "
                "Set both, or neither."
            )
        url = urlsplit(self.kafka_oauth_token_url)
        if wants_token and url.scheme != "https" and url.hostname not in _LOOPBACK:
            return "PLACARD_KAFKA_OAUTH_TOKEN_URL would send the client's secret unencrypted. Give an https URL."
        return None
