"""
`make bench-loop`: the whole stack on Kafka, two live workers. Two figures, each over at least 200 rounds:

- change: API commit of a pause or resume → every worker decides by it. Sixteen connections ask in turn; the kernel
  spreads them over the workers, and a round ends when every one of them gives the new decision.
- event: `POST /v1/track` answered → the event is readable in the feed.

Runs with `PLACARD_MANAGEMENT_PER_KEY_S` raised, for the poller asks more often than an integrator may.
"""

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

import httpx
import uvloop

from deploy.standalone.background import running_stack
from loadtests.bench.report import Report, percentile

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "200"))
_CONNECTIONS = 16
_PAUSE_S = 0.004
_GIVE_UP_S = 10.0
_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
_ENVIRONMENT = {"PLACARD_MANAGEMENT_PER_KEY_S": "2000"}


@dataclass(slots=True)
class Loop:
    """The running stack, seen by an integrator and by a server that renders ads."""

    demo: dict[str, Any]
    control: httpx.AsyncClient
    edges: list[httpx.AsyncClient]

    @classmethod
    def of(cls, demo: dict[str, Any]) -> "Loop":
        edges = [
            httpx.AsyncClient(
                base_url=demo["edge_live_url"],
                headers={
                    "Authorization": f"Bearer {demo['keys']['sk_live']['key']}",
                    "User-Agent": _AGENT,
                },
            )
            for _ in range(_CONNECTIONS)
        ]
        control = httpx.AsyncClient(
            base_url=demo["control_url"],
            headers={"Authorization": f"Bearer {demo['keys']['ak_live']['key']}"},
        )
        return cls(demo, control, edges)

    async def post(self, path: str, body: object = None) -> dict[str, Any]:
        answer = await self.control.post(path, json=body)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def close(self) -> None:
        for client in (self.control, *self.edges):
            await client.aclose()


async def make_top_campaign(loop: Loop) -> str:
    """Outbids everything else on the banner slot; gives its id."""
    campaign = await loop.post(
        "/v1/campaigns",
        {
            "name": "Bench loop",
            "objective": "awareness",
            "pricing_model": "cpm",
            "bid_cents": 900_000,
            "priority": "sponsorship",
        },
    )
    ad = await loop.post(
        "/v1/ads",
        {
            "campaign_id": campaign["id"],
            "name": "Bench banner",
            "format": "banner",
            "click_url": "https://advertiser.example/landing",
            "content": {
                "image_url": "https://advertiser.example/b.png",
                "width": 300,
                "height": 250,
                "alt": "An advertisement",
            },
        },
    )
    await loop.post(f"/v1/ads/{ad['id']}/activate")
    await loop.post(f"/v1/campaigns/{campaign['id']}/activate")
    found: str = campaign["id"]
    return found


async def await_decision(loop: Loop, campaign_id: str, *, serving: bool) -> float:
    """Milliseconds until every connection decides as it should."""
    started = time.perf_counter()
    slot = loop.demo["slots"]["banner"]["key"]

    async def agree(edge: httpx.AsyncClient) -> None:
        while time.perf_counter() - started < _GIVE_UP_S:
            answer = await edge.get("/v1/serve", params={"slot": slot})
            chosen = answer.json()["campaign_id"] if answer.status_code == httpx.codes.OK else None
            if (chosen == campaign_id) is serving:
                return
            await asyncio.sleep(_PAUSE_S)
        raise SystemExit(f"a worker did not change its decision within {_GIVE_UP_S:.0f} s")

    await asyncio.gather(*(agree(edge) for edge in loop.edges))
    return (time.perf_counter() - started) * 1000


async def measure_changes(loop: Loop, campaign_id: str) -> list[float]:
    taken = []
    for number in range(_ROUNDS):
        serving = number % 2 == 1
        await loop.post(f"/v1/campaigns/{campaign_id}/{'resume' if serving else 'pause'}")
        taken.append(await await_decision(loop, campaign_id, serving=serving))
    return taken


async def measure_events(loop: Loop) -> list[float]:
    taken = []
    slot = loop.demo["slots"]["banner"]["key"]
    page = (await loop.control.get("/v1/integration/events", params={"limit": 1})).json()
    cursor = page["next_cursor"]
    edge = loop.edges[0]
    for _ in range(_ROUNDS):
        ad = (await edge.get("/v1/serve", params={"slot": slot})).json()
        tracked = await edge.post(
            "/v1/track", json={"token": ad["track_token"], "event": "impression"}
        )
        if tracked.status_code != httpx.codes.NO_CONTENT:
            raise SystemExit(f"track answered {tracked.status_code}: {tracked.text}")
        answered = time.perf_counter()
        while True:
            found = await loop.control.get("/v1/integration/events", params={"cursor": cursor})
            found.raise_for_status()
            if found.json()["data"]:
                cursor = found.json()["next_cursor"]
                break
            if time.perf_counter() - answered > _GIVE_UP_S:
                raise SystemExit(f"an event was not readable within {_GIVE_UP_S:.0f} s")
            await asyncio.sleep(_PAUSE_S)
        taken.append((time.perf_counter() - answered) * 1000)
    return taken


async def measure(demo: dict[str, Any]) -> Report:
    loop = Loop.of(demo)
    campaign_id = await make_top_campaign(loop)
    await await_decision(loop, campaign_id, serving=True)
    changes = await measure_changes(loop, campaign_id)
    await loop.post(f"/v1/campaigns/{campaign_id}/archive")
    events = await measure_events(loop)
    await loop.close()
    report = Report("loop")
    report.figures = {
        "rounds": _ROUNDS,
        "change_p50_ms": percentile(changes, 0.5),
        "change_p99_ms": percentile(changes, 0.99),
        "event_p50_ms": percentile(events, 0.5),
        "event_p99_ms": percentile(events, 0.99),
    }
    report.reach = {"max_change_p99_ms": 1000, "max_event_p99_ms": 1000}
    return report


def main() -> int:
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    with running_stack({"KAFKA": "1", **_ENVIRONMENT}) as stack:
        return asyncio.run(measure(stack.demo)).print()


if __name__ == "__main__":
    sys.exit(main())
