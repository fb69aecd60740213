"""
`make bench-loop`: the whole stack on Kafka, two live workers. Two figures, each over at least 200 rounds:

- change: API commit of a pause or resume → every worker decides by it. Each worker gets requests over a connection of
  its own, and a round ends when all of them return the new decision.
- event: response of `POST /v1/track` → the event is readable in the feed.

Runs with `PLACARD_MANAGEMENT_PER_KEY_S` raised, because the poller sends more requests than an integrator may.
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import uvloop

from deploy.standalone.background import Background, running_stack
from loadtests.bench.report import Report, percentile
from loadtests.bench.scale import measure_scale
from loadtests.bench.slow import refuse_slow
from loadtests.bench.workers import WorkerConnection, connect_each

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "200"))
_PAUSE_S = 0.004
_GIVE_UP_S = 10.0
_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
_ENVIRONMENT = {"PLACARD_MANAGEMENT_PER_KEY_S": "2000"}


@dataclass(slots=True)
class Loop:
    """The running stack, as used by an integrator and by a server that renders ads."""

    demo: dict[str, Any]
    control: httpx.AsyncClient
    edge: httpx.AsyncClient
    workers: list[WorkerConnection]

    @classmethod
    async def open(cls, demo: dict[str, Any], edges: Sequence[tuple[int, Sequence[int]]]) -> "Loop":
        """*edges*: the port and the workers of each live edge."""
        edge = httpx.AsyncClient(
            base_url=demo["edge_live_url"],
            headers={"Authorization": f"Bearer {_secret_key(demo)}", "User-Agent": _AGENT},
        )
        control = httpx.AsyncClient(
            base_url=demo["control_url"],
            headers={"Authorization": f"Bearer {demo['keys']['ak_live']['key']}"},
        )
        each = [await connect_each(port, pids) for port, pids in edges]
        return cls(demo, control, edge, [worker for some in each for worker in some])

    @property
    def serve_request(self) -> bytes:
        return (
            f"GET /v1/serve?slot={self.demo['slots']['banner']['key']} HTTP/1.1\r\n"
            f"Host: edge.bench\r\nAuthorization: Bearer {_secret_key(self.demo)}\r\n"
            f"User-Agent: {_AGENT}\r\n\r\n"
        ).encode()

    async def post(self, path: str, body: object = None) -> httpx.Response:
        answer = await self.control.post(path, json=body)
        return answer.raise_for_status()

    async def agree(self, campaign_id: str, *, there: bool) -> float:
        """When the last worker began to decide for the campaign, or stopped doing so (`perf_counter`)."""
        request, word = self.serve_request, campaign_id.encode()
        requested = (worker.agrees(request, word, there=there) for worker in self.workers)
        return max(await asyncio.gather(*requested))

    async def close(self) -> None:
        for worker in self.workers:
            worker.close()
        for client in (self.control, self.edge):
            await client.aclose()


@dataclass(frozen=True, slots=True)
class Change:
    """Milliseconds until every worker decided by one change."""

    from_answer_ms: float
    """From the API's response, which comes after the commit."""
    from_call_ms: float


def edge_of(stack: Background) -> tuple[int, list[int]]:
    """The stack's live edge: its port and its workers."""
    port = int(str(stack.demo["edge_live_url"]).rpartition(":")[2])
    return port, stack.edge_workers("live")


def _secret_key(demo: dict[str, Any]) -> str:
    found: str = demo["keys"]["sk_live"]["key"]
    return found


async def make_top_campaign(loop: Loop) -> str:
    """Creates a campaign that outbids all others on the banner slot, at every worker; returns its id."""
    made = await loop.post(
        "/v1/campaigns",
        {
            "name": "Bench loop",
            "objective": "awareness",
            "pricing_model": "cpm",
            "bid_cents": 900_000,
            "priority": "sponsorship",
        },
    )
    campaign = made.json()
    made = await loop.post(
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
    await loop.post(f"/v1/ads/{made.json()['id']}/activate")
    await loop.post(f"/v1/campaigns/{campaign['id']}/activate")
    await loop.agree(campaign["id"], there=True)
    found: str = campaign["id"]
    return found


async def measure_changes(loop: Loop, campaign_id: str, rounds: int) -> list[Change]:
    return [await _change(loop, campaign_id, there=number % 2 == 1) for number in range(rounds)]


async def _change(loop: Loop, campaign_id: str, *, there: bool) -> Change:
    asking = asyncio.create_task(loop.agree(campaign_id, there=there))
    called_s = time.perf_counter()
    await loop.post(f"/v1/campaigns/{campaign_id}/{'resume' if there else 'pause'}")
    answered_s = time.perf_counter()
    last_s = await asking
    return Change(max(0.0, last_s - answered_s) * 1000, (last_s - called_s) * 1000)


async def measure_events(loop: Loop) -> list[float]:
    taken = []
    slot = loop.demo["slots"]["banner"]["key"]
    page = (await loop.control.get("/v1/integration/events", params={"limit": 1})).json()
    cursor = page["next_cursor"]
    edge = loop.edge
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


async def measure(stack: Background) -> Report:
    loop = await Loop.open(stack.demo, [edge_of(stack)])
    campaign_id = await make_top_campaign(loop)
    measured = await measure_changes(loop, campaign_id, _ROUNDS)
    changes = [change.from_answer_ms for change in measured]
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
    refuse_slow("loop")
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    with running_stack({"KAFKA": "1", **_ENVIRONMENT}) as stack:
        report = asyncio.run(measure(stack))
    report.scale = measure_scale()
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
