"""Mails as ``.eml`` files in a folder: for one machine without a mail server, and for inspecting outgoing mails."""

import asyncio
import os
import re
from pathlib import Path

from common.values.clock import Clock
from control.adapters.mail_message import to_message
from control.ports.mail import Mail, MailUnavailable

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


class EmlMailer:
    """
    One file a mail, named by its Message-ID: a retried mail overwrites its file. Only the owner can read the files.

    A folder that cannot be written is `MailUnavailable`.
    """

    def __init__(self, folder: Path, *, sender: str, clock: Clock) -> None:
        self._folder = folder
        self._sender = sender
        self._clock = clock

    async def send(self, mail: Mail, *, message_id: str) -> None:
        now = self._clock.now()
        content = bytes(to_message(mail, sender=self._sender, message_id=message_id, now=now))
        try:
            await asyncio.to_thread(self._write, message_id, content)
        except OSError as error:
            raise MailUnavailable(f"{self._folder} (PLACARD_MAIL_URL): {error.strerror}") from error

    async def check(self) -> None:
        """Does nothing: the folder is made for the first mail."""

    async def close(self) -> None:
        """Does nothing, because nothing is open."""

    def _write(self, message_id: str, content: bytes) -> None:
        """Writes the file atomically and durably."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = _UNSAFE.sub("_", message_id.strip("<>").partition("@")[0])
        path = self._folder / f"{name}.eml"
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
