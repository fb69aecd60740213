"""The blocks of `docs/server-rendering.md`, each run as a server would run it against a real edge."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from common.values.enums import Reason
from deploy.standalone.child import ROOT
from tests.docs.reference import INTERPRETERS
from tests.edge.tracking.track_clients import open_track_clients
from tests.support.builders import a_property, a_slot
from tests.support.worker import events_of

_PAGE = (ROOT / "docs" / "server-rendering.md").read_text()


def block_in(language: str) -> str:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", _PAGE, flags=re.MULTILINE | re.DOTALL)
    return str(block)


@pytest.mark.parametrize("language", INTERPRETERS)
async def test_a_code_block_serves_an_ad_and_its_event_is_the_visitors(
    tmp_path: Path, language: str
) -> None:
    slot = a_slot(key="app-home")
    async with open_track_clients(tmp_path, a_property(server_rendering=True), slot) as clients:
        text = {
            "EDGE_URL": str(clients.http.base_url).rstrip("/"),
            "PUBLISHABLE_KEY": clients.publishable,
        }
        done = await asyncio.create_subprocess_exec(
            *INTERPRETERS[language],
            block_in(language),
            env={**os.environ, **text},  # noqa: TID251 - a program needs its own
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        shown, faults = await done.communicate()
        assert done.returncode == 0, faults.decode()
        assert "204" in shown.decode()
        (event,) = await events_of(clients.edge)
    assert (event.reason, event.surface) == (Reason.OK, "android")
    assert event.facts.ip_prefix == "203.0.113.0/24"
