"""The blocks of the pages on players and AMP, each run against a real edge."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from common.values.enums import Format, Reason, Surface
from deploy.standalone.child import ROOT
from tests.edge.endpoints.players import an_advertiser
from tests.edge.tracking.track_clients import TrackClients, open_track_clients
from tests.support.builders import a_campaign, a_property, a_slot, an_ad
from tests.support.worker import events_of

_SHELL = ("bash", "-euo", "pipefail", "-c")
_PYTHON = (sys.executable, "-c")


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / "server-rendering" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


async def _run(clients: TrackClients, *command: str) -> str:
    named = {
        "EDGE_URL": str(clients.http.base_url).rstrip("/"),
        "PUBLISHABLE_KEY": clients.publishable,
    }
    done = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, **named},  # noqa: TID251 - a program needs its own
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    shown, faults = await done.communicate()
    assert done.returncode == 0, faults.decode()
    return shown.decode()


async def test_the_blocks_for_players_serve_and_report_for_the_device(tmp_path: Path) -> None:
    slot = a_slot(key="pre-roll", formats=(Format.VIDEO,))
    prop = a_property(kind="ctv", server_rendering=True)
    ads = (*an_advertiser("a", bid_cents=200), *an_advertiser("b"))
    async with open_track_clients(tmp_path, prop, slot, *ads) as clients:
        shell = [await _run(clients, *_SHELL, block) for block in _blocks("ctv.md", "sh")]
        (block,) = _blocks("ctv.md", "python")
        titles = await _run(clients, *_PYTHON, block)
        events = await events_of(clients.edge)

    assert [text.count("<Ad id=") for text in shell] == [2, 0]
    assert shell[1].count("<vmap:AdBreak ") == 3
    assert [line.split()[0] for line in titles.splitlines()] == ["a", "b"]
    assert {(one.surface, one.device, one.reason) for one in events} == {
        (Surface.CTV, "tv", Reason.OK)
    }


@pytest.mark.parametrize(
    ("place", "expected"), [(0, "⚡4ads"), (1, '{"targeting":{"placard_ad":"')]
)
async def test_the_blocks_for_amp_serve(tmp_path: Path, place: int, expected: str) -> None:
    campaign = a_campaign()
    async with open_track_clients(
        tmp_path, a_slot(key="article"), campaign, an_ad(campaign)
    ) as clients:
        shown = await _run(clients, *_SHELL, _blocks("amp.md", "sh")[place])

    assert expected in shown
