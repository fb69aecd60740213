"""Nothing acknowledged is lost and nothing counts twice, while an edge worker and ingest are killed."""

import asyncio
import os
import random
import signal
from dataclasses import dataclass, field
from typing import Any

import httpx

from deploy.standalone.background import Background
from tests.e2e.customer import BROWSER, Customer, eventually, spent_micros
from tests.support.http_client import http_client

SERVES = 1000
TIMES = 3
AT_ONCE = 24
BID_CENTS = 470
SLOT = "kills"
GIVE_UP = 60


@dataclass
class Tracked:
    """What the client wrote down: every token it was served, and how often each was acknowledged."""

    tokens: list[str] = field(default_factory=list)
    acknowledged: dict[str, int] = field(default_factory=dict)


async def serve_one(customer: Customer, http: httpx.AsyncClient) -> str:
    """A token; a broken connection or a 503 is tried again, as a client would."""
    headers = {"Authorization": f"Bearer {customer.text('sk_live')}", "User-Agent": BROWSER}
    for _ in range(GIVE_UP):
        try:
            answer = await http.get(
                f"{customer.edge('live')}/v1/serve",
                params={"slot": SLOT},
                headers=headers,
            )
        except httpx.TransportError:
            await asyncio.sleep(0.05)
            continue
        if answer.status_code == httpx.codes.OK:
            ad: dict[str, Any] = answer.json()
            return str(ad["track_token"])
        await asyncio.sleep(0.05)
    raise AssertionError("never served")


async def track_until_acknowledged(
    customer: Customer, http: httpx.AsyncClient, token: str, seen: Tracked
) -> None:
    headers = {"Authorization": f"Bearer {customer.text('sk_live')}", "User-Agent": BROWSER}
    for _ in range(GIVE_UP):
        try:
            answer = await http.post(
                f"{customer.edge('live')}/v1/track",
                json={"token": token, "event": "impression"},
                headers=headers,
            )
        except httpx.TransportError:
            await asyncio.sleep(0.05)
            continue
        if answer.status_code == httpx.codes.NO_CONTENT:
            seen.acknowledged[token] = seen.acknowledged.get(token, 0) + 1
            return
        assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
        await asyncio.sleep(0.05)
    raise AssertionError("never acknowledged")


async def kill_in_the_middle(stack: Background, seen: Tracked) -> list[int]:
    """One live edge worker after a third, ingest after two thirds; gives what was killed."""
    killed = []
    for share, victim in ((1 / 3, "worker"), (2 / 3, "ingest")):

        async def so_far(share: float = share) -> bool | None:
            done = sum(seen.acknowledged.values())
            return True if done >= SERVES * TIMES * share else None

        await eventually(so_far)
        found = (
            stack.edge_workers("live") if victim == "worker" else stack.pids_of("control", "ingest")
        )
        os.kill(found[-1], signal.SIGKILL)
        killed.append(found[-1])
    return killed


async def test_a_thousand_impressions_survive_the_kill_of_a_worker_and_of_ingest(
    customer: Customer, stack: Background
) -> None:
    slot_id = await customer.make_slot(SLOT)
    campaign_id = await customer.run_campaign("live", bid_cents=BID_CENTS, slot_ids=(slot_id,))
    await customer.serve_until_filled("live", campaign_id, slot=SLOT)
    seen = Tracked()
    gate = asyncio.Semaphore(AT_ONCE)

    # No connection is used twice: the kernel gives each try to any worker.
    async with http_client() as http, http_client(is_fresh=True) as fresh:
        for _ in range(SERVES):
            seen.tokens.append(await serve_one(customer, http))

        async def once(token: str) -> None:
            async with gate:
                await track_until_acknowledged(customer, fresh, token, seen)

        tries = seen.tokens * TIMES
        random.Random(7).shuffle(tries)
        killing = asyncio.create_task(kill_in_the_middle(stack, seen))
        await asyncio.gather(*(once(token) for token in tries))
        killed = await killing

    async def everything() -> list[dict[str, Any]] | None:
        events = [e for e in await customer.events("live") if e["campaign_id"] == campaign_id]
        return events if len(events) >= SERVES else None

    async def leases_of_the_living_alone() -> bool | None:
        files = await asyncio.to_thread(lambda: list(stack.state.glob("spool/*/leases/*.commits")))
        return len(files) == len(stack.edge_workers("live")) or None

    events = await eventually(everything)
    await eventually(leases_of_the_living_alone)
    await asyncio.sleep(2)
    events = [e for e in await customer.events("live") if e["campaign_id"] == campaign_id]
    spent = await spent_micros(stack, campaign_id)

    assert len(killed) == 2
    assert len(set(seen.tokens)) == SERVES
    assert len(events) == SERVES
    assert len({e["id"] for e in events}) == SERVES
    assert {(e["kind"], e["valid"], e["reason"]) for e in events} == {("impression", True, "ok")}
    assert spent == SERVES * BID_CENTS * 10
