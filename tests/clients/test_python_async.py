"""The asynchronous half of `clients/python`: many calls at once over one client."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import orjson

from tests.clients.cases import answers
from tests.clients.publisher import ROOT
from tests.clients.scripted_edge import scripted_edge

_PROGRAM = """
import asyncio, json, sys
from placard import AsyncEdgeClient, AsyncManagementClient, CursorFile
from placard.retries import Retries

async def main(url, cursor_file):
    now, pauses = 0.0, []
    async def sleep(seconds):
        nonlocal now
        pauses.append(seconds)
        now += seconds
    own = {"sleep": sleep, "clock": lambda: now, "retries": Retries(draw=lambda: 0.5)}
    async with AsyncEdgeClient("sk_test_any", edge_url=url, **own) as edge:
        first = await edge.serve("banner")
        several = await asyncio.gather(*(edge.serve("banner") for _ in range(20)))
    ids = []
    async with AsyncManagementClient("ak_test_any", base_url=url, **own) as management:
        async for event in management.events.follow(CursorFile(cursor_file), poll_s=9):
            ids.append(event["id"])
            if len(ids) == 3:
                break
    print(json.dumps([first.ad is not None, sum(one.ad is None for one in several), ids, pauses]))

asyncio.run(main(*sys.argv[1:]))
"""


def _page(ids: str, cursor: str, *, has_more: bool) -> dict[str, Any]:
    events = [{"id": one} for one in ids]
    body = {"data": events, "has_more": has_more, "next_cursor": cursor}
    return {"status": 200, "body": body}


async def test_calls_run_at_once_and_events_are_followed_past_an_empty_page(tmp_path: Path) -> None:
    known, file = answers(), tmp_path / "cursor"
    pages = [
        _page("ab", "c1", has_more=True),
        _page("", "c1", has_more=False),
        _page("c", "c2", has_more=False),
    ]
    async with scripted_edge() as edge:
        edge.play(
            {"serve": [known["internal"], known["banner"], known["no_fill"]], "events": pages}
        )
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, edge.url, str(file)),
            env={"PYTHONPATH": str(ROOT / "clients" / "python")},
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        cursors = [one.query["cursor"] for one in edge.requests if "events" in one.path]

    assert orjson.loads(output) == [True, 20, ["a", "b", "c"], [0.5, 9]]
    assert cursors == ["earliest", "c1", "c1"]
    assert file.read_text() == "c1"
