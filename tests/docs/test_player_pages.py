"""The blocks of the pages on players and AMP, each run against a real edge."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path

import pytest

from common.snapshot.model import FrequencyCap, SnapshotObject
from common.values.enums import EventKind, Format, Reason, Surface
from deploy.standalone.child import ROOT
from tests.docs.reference import INTERPRETERS
from tests.edge.endpoints.players import VIDEO, an_advertiser
from tests.edge.tracking.track_clients import TrackClients, open_track_clients
from tests.support.builders import a_campaign, a_property, a_slot, an_ad
from tests.support.worker import events_of

_AMP_PLACE, _AMP_DOCUMENT = 0, 1
"""Which block of each language on the page of AMP: the markup of a place, a request for an AMPHTML ad."""
_RTC = 2


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / "server-rendering" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


async def _run(clients: TrackClients, language: str, block: str) -> str:
    named = {
        "EDGE_URL": clients.edge.settings.edge_url,
        "PUBLISHABLE_KEY": clients.publishable,
        "SECRET_KEY": clients.secret,
    }
    done = await asyncio.create_subprocess_exec(
        *INTERPRETERS[language],
        block,
        env={**os.environ, **named},  # noqa: TID251 - a program needs its own
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    shown, faults = await done.communicate()
    assert done.returncode == 0, faults.decode()
    return shown.decode()


@asynccontextmanager
async def _an_edge(folder: Path, *objects: SnapshotObject) -> AsyncIterator[TrackClients]:
    """The URLs that it signs lead to itself."""
    async with open_track_clients(folder, *objects) as clients:
        own_url = str(clients.http.base_url).rstrip("/")
        settings = clients.edge.settings
        clients.edge.settings = settings.model_copy(update={"edge_url": own_url})
        yield clients


def _film(name: str) -> dict[str, object]:
    return {"media": [VIDEO | {"url": f"https://cdn.example/{name}.mp4"}]}


async def test_the_blocks_for_players_get_a_break_and_a_schedule(tmp_path: Path) -> None:
    slot = a_slot(key="pre-roll", formats=(Format.VIDEO,))
    ads = (*an_advertiser("a", bid_cents=200), *an_advertiser("b"))
    async with _an_edge(tmp_path, a_property(kind="ctv"), slot, *ads) as clients:
        vast, vmap, _ = _blocks("ctv.md", "sh")
        assert (await _run(clients, "sh", vast)).count("<Ad id=") == 2
        assert (await _run(clients, "sh", vmap)).count("<vmap:AdBreak ") == 3


@pytest.mark.parametrize("language", INTERPRETERS)
async def test_a_server_that_stitches_requests_and_reports_for_the_device(
    tmp_path: Path, language: str
) -> None:
    """The best ad has a frequency cap: without the device's id and its consent it is not served."""
    slot = a_slot(key="pre-roll", formats=(Format.VIDEO,))
    prop = a_property(kind="ctv", server_rendering=True)
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)
    ads = (
        *an_advertiser("capped", bid_cents=300, frequency_caps=(cap,), content=_film("capped")),
        *an_advertiser("a", bid_cents=200, content=_film("a")),
        *an_advertiser("b", content=_film("b")),
    )
    async with _an_edge(tmp_path, prop, slot, *ads) as clients:
        shown = await _run(clients, language, _blocks("ctv.md", language)[-1])
        events = await events_of(clients.edge)

    assert re.findall(r"cdn\.example/(\w+)\.mp4", shown) == ["capped", "a"]
    reported = {(one.surface, one.device, one.reason, one.facts.ip_prefix) for one in events}
    if language == "sh":  # it requests alone
        assert not events
    else:
        assert len(events) == 2
        assert reported == {(Surface.CTV, "tv", Reason.OK, "203.0.113.0/24")}


@pytest.mark.parametrize("language", ["python", "js"])
async def test_a_server_writes_the_markup_of_the_page_whose_url_serves(
    tmp_path: Path, language: str
) -> None:
    campaign = a_campaign()
    banner = an_ad(campaign)
    async with _an_edge(tmp_path, a_slot(key="article"), campaign, banner) as clients:
        written = await _run(clients, language, _blocks("amp.md", language)[_AMP_PLACE])
        (url,) = re.findall(r'data-url="(.*?)"', written)
        served = (await clients.get(unescape(url))).json()
        await clients.get(served["impression_url"])
        (event,) = await events_of(clients.edge)

    (page,) = _blocks("amp.md", "html")
    shown = written.replace(clients.edge.settings.edge_url, "https://edge.example")
    assert shown.replace(clients.publishable, "pk_live_…") == page
    fields = re.findall(r"{{(\w+)}}", written)
    assert set(fields) <= served.keys() | served["content"].keys()
    assert event.surface is Surface.AMP


@pytest.mark.parametrize("language", INTERPRETERS)
async def test_a_server_gets_an_amp_document_for_the_visitor(tmp_path: Path, language: str) -> None:
    campaign = a_campaign()
    prop = a_property(server_rendering=True)
    async with _an_edge(tmp_path, prop, a_slot(key="article"), campaign, an_ad(campaign)) as edge:
        shown = await _run(edge, language, _blocks("amp.md", language)[_AMP_DOCUMENT])

    assert "⚡4ads" in shown


@pytest.mark.parametrize(
    ("place", "expected"),
    [(_AMP_PLACE, '"impression_url":"http'), (_RTC, '{"targeting":{"placard_ad":"')],
)
async def test_curl_shows_what_the_runtime_of_an_amp_page_receives(
    tmp_path: Path, place: int, expected: str
) -> None:
    campaign = a_campaign()
    async with _an_edge(tmp_path, a_slot(key="article"), campaign, an_ad(campaign)) as clients:
        shown = await _run(clients, "sh", _blocks("amp.md", "sh")[place])

    assert expected in shown
