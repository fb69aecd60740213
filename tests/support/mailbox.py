"""What people find in their mailboxes: the API's mails, sent by the scheduler's own jobs into its folder."""

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import SMTP
from functools import cache
from pathlib import Path

from control.api.mail.send import send_due_mails
from control.identity.passwords.reset import answer_reset_requests
from tests.support.control_api import ControlApi

_LINK = re.compile(r"https?://\S+")


async def mails_to(api: ControlApi, email: str) -> list[EmailMessage]:
    """All so far, oldest first."""
    await answer_reset_requests(api.control)
    await send_due_mails(api.control)
    return _read(api, email)


async def link_in_newest(api: ControlApi, email: str, subject: str) -> str:
    """The link of the newest mail about *subject*."""
    mails = [mail for mail in await mails_to(api, email) if mail["Subject"] == subject]
    found = _LINK.search(text_of(mails[-1]))
    assert found is not None, text_of(mails[-1])
    return found[0]


def text_of(mail: EmailMessage) -> str:
    """The part that mail clients without HTML show."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


async def token_in_newest(api: ControlApi, email: str, subject: str) -> str:
    return (await link_in_newest(api, email, subject)).partition("?token=")[2]


RESET = "Reset your Placard password"
VERIFY = "Verify your email address"


def _read(api: ControlApi, email: str) -> list[EmailMessage]:
    files = sorted((api.control.settings.state / "mail").glob("*.eml"))
    return [
        message_from_bytes(file.read_bytes(), policy=SMTP)
        for file in files
        if _receiver_of(file) == email
    ]


@cache
def _receiver_of(file: Path) -> str:
    """Cached, because a session's folder contains hundreds of mails."""
    return str(BytesHeaderParser(policy=SMTP).parsebytes(file.read_bytes())["To"])
