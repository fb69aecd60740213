"""Edges append and ingest reads through brokers that demand encryption, certificates or a sign-in."""

import asyncio
import base64
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from common.service.channels import Channels
from common.service.kafka_connection import KafkaConnection, KafkaSettingsInvalid
from common.service.kafka_settings import KafkaSettings
from common.service.kafka_tokens import ClientCredentialsTokens
from control.adapters.kafka_source import KafkaEventSource
from deploy.standalone.sockets import find_free_ports
from edge.adapters.kafka_events import KafkaEventLog
from edge.ports import EventLogUnavailable
from tests.support.certificates import Authority
from tests.support.records import some_records
from tests.support.servers import KafkaServer, started
from tests.support.waiting import until

_LISTENERS = ("TLS", "MTLS", "SASL")
_PASSWORD = "a pass=word"
_JAAS = "listener.name.sasl.{}.sasl.jaas.config=org.apache.kafka.common.security.{} required{};"


class SecuredKafka(KafkaServer):
    """A broker with a listener for each way to connect; ``addresses`` by the names of `_LISTENERS`."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        super().__init__(folder)
        self._authority = authority
        ports = find_free_ports(len(_LISTENERS))
        self.addresses = {
            name: f"127.0.0.1:{port}" for name, port in zip(_LISTENERS, ports, strict=True)
        }

    def _write_settings(self) -> Path:
        path = super()._write_settings()
        text = path.read_text(encoding="utf-8")
        named = ",".join(f"{name}://{address}" for name, address in self.addresses.items())
        lines = [
            f"{line},{named}" if line.startswith(("listeners=", "advertised.listeners=")) else line
            for line in text.splitlines()
        ]
        certificate, key = self._authority.issue("broker")
        both = self.folder / "broker.pem"
        both.write_text(key.read_text() + certificate.read_text())
        lines += [
            "listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MTLS:SSL,SASL:SASL_SSL",
            "ssl.keystore.type=PEM",
            f"ssl.keystore.location={both}",
            "ssl.truststore.type=PEM",
            f"ssl.truststore.location={self._authority.file}",
            "listener.name.mtls.ssl.client.auth=required",
            "listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
            _JAAS.format("plain", "plain.PlainLoginModule", f' user_edge="{_PASSWORD}"'),
            _JAAS.format("scram-sha-256", "scram.ScramLoginModule", ""),
            _JAAS.format("scram-sha-512", "scram.ScramLoginModule", ""),
            _JAAS.format(
                "oauthbearer",
                "oauthbearer.OAuthBearerLoginModule",
                ' unsecuredLoginStringClaim_sub="broker"',
            ),
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def _format(self, command: list[str], settings: Path) -> None:
        users = [
            part
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
            for part in ("--add-scram", f'{mechanism}=[name="edge",password="{_PASSWORD}"]')
        ]
        super()._format([*command, *users], settings)


@dataclass(frozen=True)
class Secured:
    broker: SecuredKafka
    authority: Authority

    def settings(self, listener: str, **more: Any) -> KafkaSettings:
        found = {
            "kafka_bootstrap_servers": self.broker.addresses[listener],
            "kafka_security_protocol": "SASL_SSL" if listener == "SASL" else "SSL",
            "kafka_ca_file": self.authority.file,
        }
        return KafkaSettings(**(found | more))


@pytest.fixture(scope="module")
def secured(servers_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    with started(SecuredKafka(servers_folder / "kafka-secured", authority)) as broker:
        yield Secured(broker, authority)


async def _is_carried(settings: KafkaSettings, namespace: str) -> None:
    """Appends as an edge does, and reads as ingest does."""
    kafka, channels = KafkaConnection.of(settings), Channels(namespace)
    log, source = KafkaEventLog(kafka, channels.log_topic), KafkaEventSource(kafka, channels)
    sought: set[int] = set()
    count = 0

    async def all_read() -> bool:
        nonlocal count
        for partition in await source.assigned() - sought:
            await source.seek(partition, None)
            sought.add(partition)
        count += sum(len(one.records) for one in await source.poll(most=100, wait_ms=50))
        return count == len(records)

    records = some_records(20)
    try:
        await log.append(records)
        await until(all_read)
    finally:
        await log.close()
        await source.close()


async def test_events_pass_over_tls(secured: Secured, namespace: str) -> None:
    await _is_carried(secured.settings("TLS", kafka_rack="a", kafka_client_id="edge-1"), namespace)


async def test_events_pass_over_mutual_tls(secured: Secured, namespace: str) -> None:
    certificate, key = secured.authority.issue("edge")
    pair = {"kafka_certificate_file": certificate, "kafka_certificate_key_file": key}
    await _is_carried(secured.settings("MTLS", **pair), namespace)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_events_pass_with_a_password_from_a_file(
    secured: Secured, namespace: str, tmp_path: Path, mechanism: str
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{_PASSWORD}\n")
    user = {"kafka_username": "edge", "kafka_password_file": file}
    settings = secured.settings("SASL", kafka_sasl_mechanism=mechanism, **user)
    await _is_carried(settings, namespace)


async def test_events_pass_with_a_token_of_the_clients_credentials(
    secured: Secured, namespace: str
) -> None:
    async with token_server(_unsecured_token()) as server:
        settings = secured.settings(
            "SASL",
            kafka_sasl_mechanism="OAUTHBEARER",
            kafka_username="edge",
            kafka_password=_PASSWORD,
            kafka_oauth_token_url=server.url,
            kafka_oauth_scope="events",
        )
        await _is_carried(settings, namespace)
    credentials = base64.b64encode(f"edge:{_PASSWORD}".encode())
    assert b"authorization: basic " + credentials.lower() in server.requests[0].lower()
    assert server.requests[0].endswith(b"grant_type=client_credentials&scope=events")
    assert len(server.requests) <= 2, "one token serves the connections of a process"


@pytest.mark.parametrize(
    ("listener", "more"),
    [
        ("TLS", {"kafka_ca_file": None}),
        ("MTLS", {}),
        (
            "SASL",
            {
                "kafka_sasl_mechanism": "SCRAM-SHA-512",
                "kafka_username": "edge",
                "kafka_password": "wrong",
            },
        ),
    ],
    ids=["unknown authority", "no certificate", "wrong password"],
)
async def test_a_refused_connection_is_an_unavailable_log(
    secured: Secured, namespace: str, listener: str, more: dict[str, Any]
) -> None:
    kafka = KafkaConnection.of(secured.settings(listener, **more))
    log = KafkaEventLog(kafka, Channels(namespace).log_topic)
    with pytest.raises(EventLogUnavailable, match="PLACARD_KAFKA_BOOTSTRAP_SERVERS"):
        await log.append(some_records(1))
    await log.close()


async def test_a_token_is_renewed_before_it_ends() -> None:
    now_s = 0.0
    async with token_server("opaque", life_s=100) as server:
        tokens = ClientCredentialsTokens(server.url, "edge", "s", "", now_s=lambda: now_s)
        assert [await tokens.token(), await tokens.token()] == ["opaque", "opaque"]
        assert len(server.requests) == 1
        now_s = 81.0
        await tokens.token()
    assert len(server.requests) == 2


_SASL = {"kafka_security_protocol": "SASL_SSL", "kafka_username": "u", "kafka_password": "p"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"kafka_security_protocol": "SSL", "kafka_certificate_file": "c.pem"},
            "CERTIFICATE_KEY_FILE",
        ),
        ({"kafka_ca_file": "ca.pem"}, "does not encrypt"),
        ({"kafka_password": "p"}, "does not sign in"),
        (_SASL, "Name PLACARD_KAFKA_SASL_MECHANISM"),
        ({**_SASL, "kafka_sasl_mechanism": "PLAIN", "kafka_username": ""}, "KAFKA_USERNAME"),
        ({**_SASL, "kafka_sasl_mechanism": "PLAIN", "kafka_password_file": "f"}, "Keep one"),
        ({**_SASL, "kafka_sasl_mechanism": "OAUTHBEARER"}, "KAFKA_OAUTH_TOKEN_URL"),
        (
            {
                **_SASL,
                "kafka_sasl_mechanism": "OAUTHBEARER",
                "kafka_oauth_token_url": "http://login.example/token",
            },
            "https",
        ),
    ],
)
def test_a_contradiction_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KafkaSettings(**settings)


@pytest.mark.parametrize(
    "files",
    [
        {"kafka_ca_file": "absent.pem"},
        {"kafka_certificate_file": "absent.pem", "kafka_certificate_key_file": "absent.key"},
    ],
    ids=["authority", "certificate"],
)
def test_an_unreadable_file_is_named(files: dict[str, Any]) -> None:
    settings = KafkaSettings(**{"kafka_security_protocol": "SSL", **files})
    with pytest.raises(KafkaSettingsInvalid, match=r"PLACARD_KAFKA_C\w+_FILE.*absent\.pem"):
        KafkaConnection.of(settings)


def test_the_name_of_a_broker_is_checked() -> None:
    kafka = KafkaConnection.of(KafkaSettings.model_validate({"kafka_security_protocol": "SSL"}))
    context = kafka.client_arguments()["ssl_context"]
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


@dataclass
class TokenServer:
    url: str
    requests: list[bytes]


@asynccontextmanager
async def token_server(token: str, *, life_s: int = 3600) -> AsyncIterator[TokenServer]:
    """Answers every request with *token*; ``requests`` as they arrived."""
    requests: list[bytes] = []
    body = orjson.dumps({"access_token": token, "token_type": "Bearer", "expires_in": life_s})
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        (length,) = [
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        requests.append(head + await reader.readexactly(length))
        writer.write(answer % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield TokenServer(f"http://127.0.0.1:{port}/token", requests)


def _unsecured_token() -> str:
    """A token of the form that a broker without a validator of its own accepts: unsigned (RFC 7515, appendix A.5)."""
    now_s = int(time.time())  # noqa: TID251 - the broker compares with its own clock
    parts = {"alg": "none"}, {"sub": "edge", "iat": now_s, "exp": now_s + 3600}
    coded = (base64.urlsafe_b64encode(orjson.dumps(one)).rstrip(b"=").decode() for one in parts)
    return ".".join(coded) + "."
