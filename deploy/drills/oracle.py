"""
Traffic of one customer, and the oracle: every acknowledged event is stored, and counts once.

It needs nothing but a stack's addresses and its database, so that a load test can use it too.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

import asyncpg
import httpx

from common.tracking.token import parse_token

PATIENCE_S = 60.0
"""No figure depends on it: it only ends a drill that would hang."""
_LOOK_S = 0.1
_AT_ONCE = 16
_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:{0}.0) Gecko/20100101 Firefox/{0}.0"
_STORED = """
select token_id, count(*) filter (where valid) as valid, count(*) as all_of_it
from events where token_id = any($1::uuid[]) and kind = 'impression' group by token_id
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``lost``: acknowledged and not stored. ``doubled``: stored as valid more than once."""

    acknowledged: int
    stored: int
    lost: int
    doubled: int


async def find_stored(database_url: str, token_ids: Iterable[UUID]) -> Verdict:
    """Looks for the impressions of acknowledged *token_ids*, now."""
    wanted = list(token_ids)
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(_STORED, wanted)
    finally:
        await connection.close()
    return Verdict(
        acknowledged=len(wanted),
        stored=len(rows),
        lost=len(wanted) - len(rows),
        doubled=sum(row["valid"] > 1 for row in rows),
    )


async def await_stored(
    database_url: str, token_ids: Iterable[UUID], *, patience_s: float = PATIENCE_S
) -> Verdict:
    """`find_stored` when nothing is missing, or after *patience_s*. PostgreSQL may be away meanwhile."""
    wanted = list(token_ids)
    deadline = time.monotonic() + patience_s
    while True:
        try:
            verdict = await find_stored(database_url, wanted)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            verdict = Verdict(len(wanted), 0, len(wanted), 0)
        if verdict.lost == 0 or time.monotonic() >= deadline:
            return verdict
        await asyncio.sleep(_LOOK_S)


@dataclass
class Traffic:
    """``serves``, ``tracks``: how the edge answered, by status; 0 is a connection that failed."""

    edge_url: str
    database_url: str
    key: str
    slot: str
    http: httpx.AsyncClient
    acknowledged: set[UUID] = field(default_factory=set)
    serves: Counter[int] = field(default_factory=Counter)
    tracks: Counter[int] = field(default_factory=Counter)

    @classmethod
    def on(cls, demo: Mapping[str, Any], database_url: str, http: httpx.AsyncClient) -> Self:
        """Traffic of a server with the secret key of *demo*, which has no limit per address."""
        return cls(
            edge_url=demo["edge_live_url"],
            database_url=database_url,
            key=demo["keys"]["sk_live"]["key"],
            slot=demo["slots"]["banner"]["key"],
            http=http,
        )

    async def serve(self, count: int) -> list[str]:
        """The tokens of those of *count* serves that were filled."""
        answers = await self._all([self._serve_one(number) for number in range(count)])
        return [one.json()["track_token"] for one in answers if one.status_code == httpx.codes.OK]

    async def count_serves(self, count: int) -> dict[str, int]:
        """How *count* serves were answered, by status."""
        before = Counter(self.serves)
        await self.serve(count)
        return {str(status): number for status, number in (self.serves - before).items()}

    async def track(self, tokens: Sequence[str]) -> None:
        """An impression of each; what the edge acknowledged is in ``acknowledged``."""
        await self._all([self._track_one(token) for token in tokens])

    async def show(self, count: int) -> None:
        await self.track(await self.serve(count))

    async def settle(self, *, patience_s: float = PATIENCE_S) -> Verdict:
        return await await_stored(self.database_url, self.acknowledged, patience_s=patience_s)

    async def until_it_serves(self) -> float:
        """Seconds until a serve is filled and its impression acknowledged. Raises TimeoutError."""
        began_s = time.monotonic()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                before = len(self.acknowledged)
                await self.show(1)
                if len(self.acknowledged) > before:
                    return time.monotonic() - began_s
                await asyncio.sleep(_LOOK_S)

    async def _serve_one(self, number: int) -> httpx.Response | None:
        request = self.http.get(
            f"{self.edge_url}/v1/serve", params={"slot": self.slot}, headers=self._headers(number)
        )
        return await self._counted(self.serves, request)

    async def _track_one(self, token: str) -> httpx.Response | None:
        token_id = parse_token(token)[0].token_id
        request = self.http.post(
            f"{self.edge_url}/v1/track",
            json={"token": token, "event": "impression"},
            headers=self._headers(token_id.int),
        )
        answer = await self._counted(self.tracks, request)
        if answer is not None and answer.status_code == httpx.codes.NO_CONTENT:
            self.acknowledged.add(token_id)
        return answer

    async def _counted(self, counts: Counter[int], request: Any) -> httpx.Response | None:
        try:
            answer: httpx.Response = await request
        except httpx.TransportError:
            counts[0] += 1
            return None
        counts[answer.status_code] += 1
        return answer

    def _headers(self, seed: int) -> dict[str, str]:
        """Browsers of many versions come to all partitions of the log."""
        return {
            "Authorization": f"Bearer {self.key}",
            "User-Agent": _BROWSER.format(100 + seed % 40),
        }

    async def _all(self, calls: Sequence[Any]) -> list[httpx.Response]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(call: Any) -> httpx.Response | None:
            async with gate:
                answer: httpx.Response | None = await call
                return answer

        return [answer for answer in await asyncio.gather(*map(one, calls)) if answer is not None]
