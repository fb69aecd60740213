"""Outgoing mail. Only the scheduler sends; all other code queues (`control.api.mail.outbox`)."""

from dataclasses import dataclass
from typing import Protocol


class MailUnavailable(Exception):
    """The server accepts no mail now; the same mail is retried later."""


class MailRefused(Exception):
    """The server rejects this mail permanently: the address does not exist, or the content is refused."""


class MailUrlInvalid(ValueError):
    """The URL is not a valid mail destination. The message never contains it, because it may hold a password."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that makes no mail client fetch anything."""

    to: str
    """One address, normalized."""
    subject: str
    """A single line."""
    text: str
    html: str | None = None
    """The same for mail clients that show HTML. None: plain text only."""


class Mailer(Protocol):
    """
    Hands one mail to a mail server.

    ``message_id`` stays the same in retries, so that a reader whose server accepted it twice sees it once.
    """

    async def send(self, mail: Mail, *, message_id: str) -> None:
        """Returns when the mail was accepted. Raises `MailUnavailable` or `MailRefused`."""
        ...

    async def check(self) -> None:
        """Connects and signs in where there is a server, and sends nothing. Raises `MailUnavailable`."""
        ...

    async def close(self) -> None: ...


class NoMailer:
    """Default where no mailer is wired: mails stay queued."""

    async def send(self, mail: Mail, *, message_id: str) -> None:
        raise MailUnavailable(
            f"no mailer is wired for {message_id}; {len(mail.text)} characters wait"
        )

    async def check(self) -> None:
        raise MailUnavailable("no mailer is wired")

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
