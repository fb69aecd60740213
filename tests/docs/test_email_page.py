"""The blocks of `docs/server-rendering/email.md`, each run as a sender would run it against a real edge."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from deploy.standalone.child import ROOT
from tests.docs.reference import INTERPRETERS
from tests.edge.email.mail_world import a_mail_slot, a_sender

_PAGE = (ROOT / "docs" / "server-rendering" / "email.md").read_text()


@pytest.mark.parametrize("language", INTERPRETERS)
async def test_a_block_prepares_a_mail(tmp_path: Path, language: str) -> None:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", _PAGE, flags=re.MULTILINE | re.DOTALL)
    async with a_sender(tmp_path, slot=a_mail_slot(key="email")) as sender:
        own = {"EDGE_URL": str(sender.http.base_url).rstrip("/"), "SECRET_KEY": sender.key}
        done = await asyncio.create_subprocess_exec(
            *INTERPRETERS[language],
            block,
            env={**os.environ, **own},  # noqa: TID251 - a program needs its own
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        shown, faults = await done.communicate()

    assert done.returncode == 0, faults.decode()
    assert "placard-ad" in shown.decode()
    assert "r1" in shown.decode()
