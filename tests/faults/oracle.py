"""What must hold however the machine fails: nothing acknowledged is lost, nothing counts twice, the sums agree."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self
from uuid import UUID, uuid4

import asyncpg
import httpx

from common.tracking.token import parse_token
from common.values.clock import SystemClock
from tests.e2e.customer import Customer, eventually
from tests.support.http_client import http_client

BID_CENTS = 470
PRICE_MICROS = BID_CENTS * 10
_AT_ONCE = 16
_ONE_SEGMENT_BYTES = 90_000
"""A segment ends with the first batch of records beyond 64 KiB."""
_LIVES_S = 3
"""A writer that ingest has heard of within so long is alive: it sends its watermark once a second."""

_DRAINED = """
select count(*) >= $2 and min(through_ms) > $1 from writer_marks
where not is_test and updated_at > now() - make_interval(secs => $3)
"""
_ROWS = """
select token_id, kind, valid, reason, charged_micros from events where campaign_id = $1
"""
_SUMS = """
select coalesce(sum(count), 0)::bigint as count, coalesce(sum(charged_micros), 0)::bigint as charged
from event_hourly where campaign_id = $1
"""
_SPENT = "select coalesce(sum(spent_micros), 0)::bigint from campaign_spend where campaign_id = $1"


class Stack(Protocol):
    """What the oracle needs of a running stack."""

    @property
    def state(self) -> Path: ...
    @property
    def environment(self) -> dict[str, str]: ...
    def edge_workers(self, environment: str) -> list[int]: ...


@dataclass
class Traffic:
    """A campaign of its own in a slot of its own; writes down what was sent and how it was answered."""

    stack: Stack
    customer: Customer
    slot: str
    campaign_id: str
    acknowledged: set[UUID] = field(default_factory=set)
    sent: set[UUID] = field(default_factory=set)
    _last_ms: int = 0

    @classmethod
    async def start(cls, stack: Stack, customer: Customer, **terms: Any) -> Self:
        """*terms* of the campaign, which must not end before the traffic does."""
        slot = f"s{uuid4().hex[:8]}"
        slot_id = await customer.make_slot(slot)
        campaign_id = await customer.run_campaign(
            "live", bid_cents=BID_CENTS, slot_ids=(slot_id,), **terms
        )
        traffic = cls(stack, customer, slot, campaign_id)
        await eventually(traffic.serves_everywhere)
        await eventually(traffic.spools_have_room)
        return traffic

    async def serve(self, count: int) -> list[str]:
        """Every one of *count* calls is filled; gives their tokens."""
        answers = await self._at_once([self.serve_one(self.customer.http) for _ in range(count)])
        assert Counter(one.status_code for one in answers) == {200: count}
        return [str(one.json()["track_token"]) for one in answers]

    async def track(self, tokens: Sequence[str]) -> Counter[int]:
        """An impression of each, once; the statuses."""
        answers = await self._at_once([self.track_one(token) for token in tokens])
        self.note_last_call()
        return Counter(one.status_code for one in answers)

    async def check(self) -> None:
        """The oracle, after all that was spooled has found its way into PostgreSQL."""
        async with database(self.stack) as connection:
            await eventually(lambda: self._drained(connection))
            rows = await connection.fetch(_ROWS, self.campaign_id)
            sums = await connection.fetchrow(_SUMS, self.campaign_id)
            spent = await connection.fetchval(_SPENT, self.campaign_id)
        stored = [UUID(str(row["token_id"])) for row in rows if row["valid"]]
        assert self.acknowledged <= set(stored)
        assert set(stored) <= self.sent
        assert len(stored) == len(set(stored)) == len(rows)
        assert sums is not None
        assert sums["count"] == len(rows)
        assert sums["charged"] == spent == sum(row["charged_micros"] for row in rows)
        assert spent == len(stored) * PRICE_MICROS

    def was_acknowledged(self, token: str) -> bool:
        return parse_token(token)[0].token_id in self.acknowledged

    async def stored(self) -> int:
        async with database(self.stack) as connection:
            return len(await connection.fetch(_ROWS, self.campaign_id))

    async def _drained(self, connection: Any) -> bool | None:
        """Whether every living worker's events up to the last call are committed, and orphans' too."""
        rows = await connection.fetch(_ROWS, self.campaign_id)
        if not self.acknowledged <= {UUID(str(row["token_id"])) for row in rows}:
            return None
        workers = len(self.stack.edge_workers("live"))
        drained = await connection.fetchval(_DRAINED, self._last_ms, workers, _LIVES_S)
        return True if drained else None

    async def serve_one(self, http: httpx.AsyncClient) -> httpx.Response:
        return await http.get(
            f"{self.customer.edge('live')}/v1/serve",
            params={"slot": self.slot},
            headers=self._headers(0),
        )

    def note_last_call(self) -> None:
        """What `check` waits for: that all which was appended before now is committed."""
        self._last_ms = SystemClock().now_ms()

    async def track_one(self, token: str, http: httpx.AsyncClient | None = None) -> httpx.Response:
        """Raises what httpx raises; then nobody knows whether it counted."""
        token_id = parse_token(token)[0].token_id
        self.sent.add(token_id)
        answer = await (http or self.customer.http).post(
            f"{self.customer.edge('live')}/v1/track",
            json={"token": token, "event": "impression"},
            headers=self._headers(token_id.int),
        )
        if answer.status_code == httpx.codes.NO_CONTENT:
            self.acknowledged.add(token_id)
        return answer

    def _headers(self, seed: int) -> dict[str, str]:
        """A secret key has no limit per address; browsers of many versions come to many partitions."""
        browser = f"Mozilla/5.0 (X11; Linux x86_64; rv:{100 + seed % 40}.0) Gecko/20100101"
        return {
            "Authorization": f"Bearer {self.customer.text('sk_live')}",
            "User-Agent": f"{browser} Firefox/{100 + seed % 40}.0",
        }

    async def serves_everywhere(self) -> bool | None:
        """Each worker knows the campaign: connections are new, the kernel gives them to any."""
        async with http_client(is_fresh=True) as fresh:
            try:
                answers = [await self.serve_one(fresh) for _ in range(8)]
            except httpx.TransportError:
                return None
        return True if {one.status_code for one in answers} == {200} else None

    async def spools_have_room(self) -> bool | None:
        """
        Whether earlier tests' segments are gone from each worker's spool. They stay until the log cannot lose them, a
        little after their events are stored; the newest stays in any case.
        """
        sizes = Counter[Path]()
        for segment in (self.stack.state / "spool" / "live").glob("edge-*/*.seg"):
            with suppress(FileNotFoundError):
                sizes[segment.parent] += segment.stat().st_size
        return True if max(sizes.values(), default=0) < _ONE_SEGMENT_BYTES else None

    async def _at_once(self, calls: Sequence[Any]) -> list[httpx.Response]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(call: Any) -> httpx.Response:
            async with gate:
                found: httpx.Response = await call
                return found

        return await asyncio.gather(*(one(call) for call in calls))


@asynccontextmanager
async def database(stack: Stack) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(stack.environment["PLACARD_DATABASE_URL"])
    try:
        yield connection
    finally:
        await connection.close()


async def dead_letters(stack: Stack, raws: Sequence[bytes]) -> list[tuple[int, int, bytes, str]]:
    """Partition, position, bytes and reason of those among *raws*."""
    async with database(stack) as connection:
        rows = await connection.fetch(
            "select partition, position, raw, reason from dead_letters where raw = any($1)", raws
        )
    return [(row["partition"], row["position"], bytes(row["raw"]), row["reason"]) for row in rows]
