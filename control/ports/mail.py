"""Mail out of the house. Only the scheduler sends; everything else queues (`control.mail.outbox`)."""

from dataclasses import dataclass
from typing import Protocol


class MailUnavailable(Exception):
    """The server does not take mail now; the same mail is tried again later."""


class MailRefused(Exception):
    """The server will never take this mail: its address does not exist, or the content is not wanted."""


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
