"""A real SMTP server on a free port that accepts mails, or refuses them as a test sets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from typing import Any

from aiosmtpd.smtp import SMTP


@dataclass(slots=True)
class MailServer:
    """``taken`` holds what arrived; the answers are those of SMTP, changed by a test at will."""

    port: int = 0
    taken: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    on_recipient: str = "250 OK"
    on_data: str = "250 OK"
    hangs: bool = False

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if self.on_recipient.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.on_recipient

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - as above
        if self.hangs:
            await asyncio.Event().wait()
        if self.on_data.startswith("250"):
            message = message_from_bytes(envelope.content, policy=SMTP_POLICY)
            self.taken.append(message)
            self.recipients += envelope.rcpt_tos
        return self.on_data


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    server = MailServer()
    loop = asyncio.get_running_loop()
    made: list[SMTP] = []

    def protocol() -> SMTP:
        made.append(SMTP(server, hostname="mail.test", loop=loop))
        return made[-1]

    listener = await loop.create_server(protocol, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for one in made:
            if one.transport is not None:
                one.transport.close()
        await listener.wait_closed()
