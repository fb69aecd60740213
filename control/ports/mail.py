"""Mail out of the house. Only the scheduler sends; everything else queues (`control.api.mail.outbox`)."""

from dataclasses import dataclass
from typing import Protocol


class MailUnavailable(Exception):
    """The server does not take mail now; the same mail is tried again later."""


class MailRefused(Exception):
    """The server will never take this mail: its address does not exist, or the content is not wanted."""


class MailUrlInvalid(ValueError):
    """The URL names no place for mails; the message never repeats it, for it may hold a password."""


@dataclass(frozen=True, slots=True)
class Mail:
    """Plain text only: nothing in it that a mail client could be made to fetch."""

    to: str
    """One address, in its normal form."""
    subject: str
    """One line."""
    text: str


class Mailer(Protocol):
    """
    Hands one mail to whoever carries it.

    ``message_id`` is the same when a mail is tried again, so that a reader whose server took it twice sees it once.
    """

    async def send(self, mail: Mail, *, message_id: str) -> None:
        """Raises `MailUnavailable` or `MailRefused`; a return means that it was taken."""
        ...

    async def close(self) -> None: ...


class NoMailer:
    """What stands where none was wired: mails stay queued."""

    async def send(self, mail: Mail, *, message_id: str) -> None:
        raise MailUnavailable(
            f"no mailer is wired for {message_id}; {len(mail.text)} characters wait"
        )

    async def close(self) -> None:
        """Nothing is open."""
