"""The secrets of the compose file's services, made once, each in a file of its own."""

import base64
import datetime as dt
import ipaddress
import json
import secrets
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from common.values.clock import SystemClock
from deploy.images.engine import ROOT
from deploy.standalone.redis_users import ROLES, RedisUsers

FOLDER = ROOT / "deploy" / "compose" / "secrets"
AUTHORITY = "authority.pem"
"""The certificate that signed the proxy's own, for clients of this machine; no service reads it."""
_NAMESPACE = "placard"
_DAYS = 825
"""The longest life of a server's certificate that clients accept."""


def make_secrets(folder: Path = FOLDER) -> list[str]:
    """
    Writes what is missing in *folder* and returns its names. What is there stays: your own certificate, for example.

    The folder is its owner's alone. Its files can be read by everyone, because services run under users of their
    own and are given single files.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    made: list[str] = []

    def write(name: str, make: Callable[[], str]) -> None:
        path = folder / name
        if not path.exists():
            path.write_text(make())
            path.chmod(0o444)
            made.append(name)

    write("key_file", _key_file)
    if not (folder / "edge_key_file").exists():
        _derive_edge_keys(folder)
        made.append("edge_key_file")
    write("postgres_password", _password)
    password = (folder / "postgres_password").read_text()
    place = f"placard:{password}@postgres/placard"
    write(
        "placard_database_url",
        # One host: there is no other one to try after the default of two seconds, which includes finding its address.
        lambda: f"postgresql+asyncpg://{place}?connect_timeout=10",
    )
    write("redis_passwords", lambda: json.dumps({role: _password() for role in ROLES}))
    users = RedisUsers(_NAMESPACE, json.loads((folder / "redis_passwords").read_text()))
    write("redis_users", users.render)
    for role in ROLES:
        write(f"redis_url_{role}", partial(users.url, "redis://redis:6379/0", role))
    if not (folder / "proxy_certificate").exists():
        _make_certificate(folder)
        made += ["proxy_certificate", AUTHORITY]
    write("grafana_password", _password)
    return made


def _password() -> str:
    return secrets.token_urlsafe(32)


def _key_file() -> str:
    key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    return json.dumps({"active": "k1", "keys": {"k1": key}}, indent=2) + "\n"


def _derive_edge_keys(folder: Path) -> None:
    names = ["--key-file", str(folder / "key_file"), "--output", str(folder / "edge_key_file")]
    command = [sys.executable, "-m", "control", "keys", "derive-edge", *names]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (folder / "edge_key_file").chmod(0o444)


def _make_certificate(folder: Path) -> None:
    """A certificate for this machine's own names, and the authority that signed it, whose key is not kept."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Placard on this machine")])
    authority = (
        _builder(authority_name, authority_name, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    certificate = (
        _builder(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]), authority_name, key
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(issuer_key, critical=False)
        .add_extension(
            x509.SubjectAlternativeName(
                [
                    x509.DNSName("localhost"),
                    x509.DNSName("proxy"),
                    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                    x509.IPAddress(ipaddress.ip_address("::1")),
                ]
            ),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    pem = serialization.Encoding.PEM
    for name, content in (
        ("proxy_certificate", certificate.public_bytes(pem) + private),
        (AUTHORITY, authority.public_bytes(pem)),
    ):
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o444)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = SystemClock().now()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
