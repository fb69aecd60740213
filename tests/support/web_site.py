"""A web server on loopback that answers by host and path, over http and https, and counts who connects."""

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(slots=True)
class WebSite:
    """``pages`` maps ``host/path`` to the raw answer; what is not there is 404."""

    port: int = 0
    pages: dict[str, bytes] = field(default_factory=dict)
    connections: int = 0
    requests: list[str] = field(default_factory=list)
    """Whole heads."""
    hangs: bool = False

    def page(self, place: str, body: str | bytes, *headers: str, status: str = "200 OK") -> None:
        raw = body.encode() if isinstance(body, str) else body
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(raw)}", *headers, "Connection: close"]
        self.pages[place] = ("\r\n".join(head) + "\r\n\r\n").encode() + raw

    def redirect(self, place: str, to: str, status: str = "302 Found") -> None:
        self.page(place, b"", f"Location: {to}", status=status)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.requests.append(head)
            if self.hangs:
                await reader.read()
            lines = head.split("\r\n")
            host = next(li[6:] for li in lines if li.lower().startswith("host: ")).split(":")[0]
            place = host + lines[0].split(" ")[1]
            missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            writer.write(self.pages.get(place, missing))
            await writer.drain()
        with suppress(OSError):
            writer.close()


@asynccontextmanager
async def running_site(
    tls: ssl.SSLContext | None = None, *, address: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[WebSite]:
    site = WebSite()
    listener = await asyncio.start_server(site.handle, address, port, ssl=tls)
    site.port = listener.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        listener.close()
        await listener.wait_closed()


@dataclass(frozen=True, slots=True)
class Authority:
    """``server`` proves to be the names it was made for, ``client`` trusts it and nobody else."""

    server: ssl.SSLContext
    client: ssl.SSLContext


def make_authority(folder: Path, *names: str) -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2120, 1, 1, tzinfo=dt.UTC))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(n) for n in names]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "cert.pem").write_bytes(pem + secret)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "cert.pem")
    return Authority(server, ssl.create_default_context(cadata=pem.decode()))
