"""Mails by SMTP: to a relay or a provider's submission port, with or without TLS and a password."""

import asyncio
import ssl
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qsl, unquote, urlsplit

import aiosmtplib

from common.values.clock import Clock
from control.adapters.mail_message import to_message
from control.ports.mail import Mail, MailRefused, MailUnavailable, MailUrlInvalid

_PERMANENT = range(500, 600)
_PORTS = {"smtp": 587, "smtps": 465}


class StartTls(StrEnum):
    REQUIRED = "required"
    OPTIONAL = "optional"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class SmtpServer:
    host: str
    port: int
    user: str | None
    password: str | None = field(repr=False)
    is_tls: bool
    """TLS from the first byte on."""
    starttls: StartTls


def parse_smtp_url(url: str) -> SmtpServer:
    """
    Parses ``smtp://user:password@host:587?starttls=required|optional|never`` or ``smtps://…``. Raises `MailUrlInvalid`.

    Without ``starttls``, TLS is required where there is a password, so that no password is ever sent in clear.
    """
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        port = parts.port or _PORTS[parts.scheme]
        default = StartTls.REQUIRED if parts.password else StartTls.OPTIONAL
        starttls = StartTls(options.pop("starttls", default))
    except (ValueError, KeyError):
        raise _invalid() from None
    if not parts.hostname or options or parts.path.strip("/"):
        raise _invalid()
    return SmtpServer(
        host=parts.hostname,
        port=port,
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        is_tls=parts.scheme == "smtps",
        starttls=starttls,
    )


class SmtpMailer:
    """
    Opens a connection for each mail. *timeout_s* limits the whole attempt.

    Errors about the mail itself (an unknown mailbox, refused content: 5xx to RCPT or DATA) are `MailRefused`. All
    others are `MailUnavailable` and retried: a 4xx response, an unavailable or hanging server, a refused password.
    """

    def __init__(
        self,
        server: SmtpServer,
        *,
        sender: str,
        clock: Clock,
        timeout_s: float = 60.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._clock = clock
        self._timeout_s = timeout_s
        self._tls = tls

    async def send(self, mail: Mail, *, message_id: str) -> None:
        now = self._clock.now()
        message = to_message(mail, sender=self._sender, message_id=message_id, now=now)
        try:
            async with asyncio.timeout(self._timeout_s), self._connection() as connection:
                await connection.send_message(message)
        except aiosmtplib.SMTPRecipientsRefused as error:
            raise _recipient_refused(error) from error
        except aiosmtplib.SMTPDataError as error:
            raise _judged(error.code, f"{error.code} {error.message}") from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise self._unavailable(error) from error

    async def check(self) -> None:
        """Connects and signs in, and sends nothing. Raises `MailUnavailable`."""
        try:
            async with asyncio.timeout(self._timeout_s), self._connection():
                pass
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise self._unavailable(error) from error

    async def close(self) -> None:
        """Does nothing, because no connection stays open between mails."""

    def _unavailable(self, error: Exception) -> MailUnavailable:
        where = f"{self._server.host}:{self._server.port} (PLACARD_MAIL_URL)"
        return MailUnavailable(f"{where}: {error or type(error).__name__}")

    def _connection(self) -> aiosmtplib.SMTP:
        server = self._server
        start_tls = {StartTls.REQUIRED: True, StartTls.OPTIONAL: None, StartTls.NEVER: False}
        return aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.is_tls,
            start_tls=False if server.is_tls else start_tls[server.starttls],
            tls_context=self._tls,
            timeout=self._timeout_s,
        )


def _recipient_refused(error: aiosmtplib.SMTPRecipientsRefused) -> MailRefused | MailUnavailable:
    first = error.recipients[0]
    return _judged(first.code, f"{first.code} {first.message}")


def _judged(code: int, reply: str) -> MailRefused | MailUnavailable:
    return MailRefused(reply) if code in _PERMANENT else MailUnavailable(reply)


def _invalid() -> MailUrlInvalid:
    return MailUrlInvalid(
        "PLACARD_MAIL_URL: write smtp://user:password@host:587?starttls=required|optional|never, "
        "smtps://user:password@host:465, or file:///folder."
    )
