"""Requests at a steady rate, whatever the responses are, and what was observed of each."""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol, Self

import httpx

from tests.e2e.customer import Customer
from tests.faults.oracle import Stack, Traffic

_TRIES = 30
_AGAIN_S = 1.0
_CALL_S = 10.0


class Operated(Stack, Protocol):
    """``demo``: addresses, in the form that `Customer` reads. ``control``: runs ``python -m control …`` to its end."""

    @property
    def demo(self) -> dict[str, str]: ...
    def control(self, *arguments: str) -> None: ...


async def begin_traffic(stack: Operated, http: httpx.AsyncClient, **terms: object) -> Traffic:
    """A new customer with a campaign that every edge serves, on *terms*."""
    customer = await Customer.sign_up(stack.demo, http)
    await customer.set_up()
    for command in (
        ("verify-address", "--email", customer.email),
        ("verify-property", "--property", customer.property_id),
    ):
        await asyncio.to_thread(stack.control, "admin", *command)
    return await Traffic.start(stack, customer, **terms)


@dataclass
class Load:
    """
    Each of *rate* calls a second asks for an ad once, the retry being the proxy's, and reports its impression until
    that is acknowledged, as client libraries do. ``serves``: responses by status, 0 for a connection that failed.
    """

    traffic: Traffic
    rate: float
    serves: Counter[int] = field(default_factory=Counter)
    tracks: Counter[int] = field(default_factory=Counter)
    unserved: list[float] = field(default_factory=list)
    """When, on the monotonic clock, a serve was not filled."""
    _running: set["asyncio.Task[None]"] = field(default_factory=set)
    _pacer: "asyncio.Task[None] | None" = None

    async def __aenter__(self) -> Self:
        limits = httpx.Limits(max_keepalive_connections=20, max_connections=None)
        self._http = httpx.AsyncClient(timeout=_CALL_S, limits=limits)
        self._pacer = asyncio.create_task(self._pace())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Begins no more calls, and waits for those in progress."""
        assert self._pacer is not None
        self._pacer.cancel()
        await asyncio.gather(self._pacer, return_exceptions=True)
        await asyncio.gather(*self._running)
        await self._http.aclose()
        self.traffic.note_last_call()

    @property
    def served(self) -> float:
        """The share of serves that were filled."""
        return self.serves[httpx.codes.OK] / max(1, self.serves.total())

    async def _pace(self) -> None:
        began_s, started = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - began_s) * self.rate)
            for _ in range(due - started):
                task = asyncio.create_task(self._show())
                self._running.add(task)
                task.add_done_callback(self._running.discard)
            started = due
            await asyncio.sleep(0.5 / self.rate)

    async def _show(self) -> None:
        try:
            answer = await self.traffic.serve_one(self._http)
        except httpx.TransportError:
            self._note_unserved(0)
            return
        if answer.status_code != httpx.codes.OK:
            self._note_unserved(answer.status_code)
            return
        self.serves[httpx.codes.OK] += 1
        await self._report(str(answer.json()["track_token"]))

    async def _report(self, token: str) -> None:
        for _ in range(_TRIES):
            try:
                answer = await self.traffic.track_one(token, self._http)
            except httpx.TransportError:
                self.tracks[0] += 1
            else:
                self.tracks[answer.status_code] += 1
                if answer.status_code == httpx.codes.NO_CONTENT:
                    return
            await asyncio.sleep(_AGAIN_S * random.uniform(0.5, 1.5))

    def _note_unserved(self, status: int) -> None:
        self.serves[status] += 1
        self.unserved.append(time.monotonic())
