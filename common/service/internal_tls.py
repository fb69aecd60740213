"""
Mutual TLS of the HTTP between processes: publish's pull server, and every internal port.

Both sides show a certificate of one authority, and verify that of the other. Files are read again when they change.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import structlog
from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from common.service.redis_client import open_client_tls, refuse_passphrase

_log: structlog.stdlib.BoundLogger = structlog.get_logger("internal_tls")
_NAMES = (
    "PLACARD_INTERNAL_CA_FILE, PLACARD_INTERNAL_CERTIFICATE_FILE and "
    "PLACARD_INTERNAL_CERTIFICATE_KEY_FILE"
)


class InternalTlsInvalid(Exception):
    """A file cannot be used. The message names the variables and the reason."""


class InternalTlsSettings(BaseSettings):
    """Either all three files are given, or none: then internal HTTP is not encrypted."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    internal_ca_file: Path | None = Field(
        None,
        description=(
            "PEM file of the authorities whose certificates may use internal HTTP: publish's snapshots and every "
            "internal port. Give all three files, or none for plain HTTP."
        ),
    )
    internal_certificate_file: Path | None = Field(
        None,
        description="PEM file of this process's certificate and its chain, for both sides of internal HTTP.",
    )
    internal_certificate_key_file: Path | None = Field(
        None, description="PEM file of that certificate's key, without a passphrase."
    )

    @model_validator(mode="after")
    def _check_internal_tls(self) -> Self:
        if self._internal_files.count(None) not in {0, len(self._internal_files)}:
            raise ValueError(f"{_NAMES} belong together. Set all three, or none.")
        return self

    @property
    def _internal_files(self) -> tuple[Path | None, ...]:
        return (
            self.internal_ca_file,
            self.internal_certificate_file,
            self.internal_certificate_key_file,
        )

    def internal_tls(self) -> "InternalTls | None":
        """None where internal HTTP is not encrypted."""
        ca, certificate, key = self._internal_files
        if ca is None or certificate is None or key is None:
            return None
        return InternalTls(ca, certificate, key)


@dataclass(frozen=True, slots=True)
class InternalTls:
    ca_file: Path
    certificate_file: Path
    certificate_key_file: Path

    def open_client(self) -> ssl.SSLContext:
        """A context that verifies the server's certificate and name. Raises `InternalTlsInvalid`."""
        return self._open(
            lambda: open_client_tls(self.ca_file, self.certificate_file, self.certificate_key_file)
        )

    def open_server(self) -> ssl.SSLContext:
        """
        A context that demands a certificate of every client. Each handshake uses the files as they are then; files
        that cannot be used are logged, and the last usable ones stay. Raises `InternalTlsInvalid` for the first ones.
        """
        shown = self.read_server()
        shown.sni_callback = _Newest(self, shown).choose
        return shown

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """What changes with each change of a file. Raises OSError for a file that cannot be read."""
        files = (self.ca_file, self.certificate_file, self.certificate_key_file)
        return tuple((state.st_ino, state.st_mtime_ns) for state in map(Path.stat, files))

    def read_server(self) -> ssl.SSLContext:
        """`open_server` of the files as they are now."""
        return self._open(self._make_server)

    def _make_server(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self.ca_file)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(self.certificate_file, self.certificate_key_file, refuse_passphrase)
        return context

    def _open(self, read: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
        try:
            return read()
        except (OSError, ValueError) as error:
            files = f"{self.ca_file}, {self.certificate_file}, {self.certificate_key_file}"
            raise InternalTlsInvalid(f"{_NAMES} ({files}) cannot be used: {error}") from error


class _Newest:
    def __init__(self, files: InternalTls, context: ssl.SSLContext) -> None:
        self._files = files
        self._context = context
        self._stamp = files.stamp()

    def choose(
        self, connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, shown: ssl.SSLContext
    ) -> None:
        """OpenSSL calls it in each handshake, with or without a name in it."""
        del name, shown
        try:
            stamp = self._files.stamp()
            if stamp != self._stamp:
                self._stamp = stamp
                self._context = self._files.read_server()
                _log.info("internal_tls_renewed", certificate=str(self._files.certificate_file))
        except (OSError, InternalTlsInvalid) as error:
            _log.warning("internal_tls_not_renewed", reason=str(error))
        connection.context = self._context
