"""A lone edge with a capped campaign, and what its serve calls show, for tests of frequency caps under faults."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from common.snapshot.model import FrequencyCap
from common.values.enums import EventKind
from tests.support.builders import a_campaign, a_key, a_property, a_slot, an_account, an_ad
from tests.support.lone_edge import LoneEdge, lone_edge
from tests.support.paced import Timed, paced
from tests.support.raw_http import connection, read_answer
from tests.support.waiting import PATIENCE_S, until

DEADLINE_S = 0.5
"""Far over the 3 ms that a call waits, however busy the machine, and far under what a client waits for a hung Redis."""
ONCE_A_DAY = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"


@dataclass(frozen=True, slots=True)
class World:
    """``mixed`` has a capped campaign that bids most and one that anybody may see, ``capped`` has the former alone."""

    edge: LoneEdge
    key: str
    capped: str
    open: str

    def serve(self, slot: str, query: str) -> bytes:
        lines = (
            f"GET /v1/serve?slot={slot}&key={self.key}&gdpr=0&{query} HTTP/1.1",
            "Host: edge",
            f"User-Agent: {BROWSER}",
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def outcomes(self, calls: Sequence[Timed]) -> Counter[str]:
        """By the campaign that was shown, else by status."""
        names = {self.capped: "capped", self.open: "open"}
        return Counter(
            names[one.answer.json["campaign_id"]]
            if one.answer and one.status == 200
            else str(one.status)
            for one in calls
        )

    async def one(self, slot: str, query: str) -> str:
        (outcome,) = self.outcomes(await paced(self.edge.port, [self.serve(slot, query)], rate=1))
        return outcome

    async def see(self, uid: str) -> None:
        """Is shown the capped campaign as soon as the store answers in time, and has it counted."""
        await until(lambda: self._shows(uid))

    async def _shows(self, uid: str) -> bool:
        async with connection(self.edge.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
            writer.write(self.serve("capped", f"uid={uid}"))
            shown = await read_answer(reader)
            if shown.status != 200:
                return False
            body = orjson.dumps({"token": shown.json["track_token"], "event": "impression"})
            head = (
                f"POST /v1/track HTTP/1.1\r\nHost: edge\r\nX-Service-Key: {self.key}\r\nUser-Agent: {BROWSER}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            assert (await read_answer(reader)).status == 204
        return True


@asynccontextmanager
async def capped_world(redis_url: str, namespace: str, folder: Path) -> AsyncIterator[World]:
    text, key = a_key()
    mixed, only = a_slot(key="mixed"), a_slot(key="capped")
    capped, anybody = a_campaign(bid_cents=900, frequency_caps=(ONCE_A_DAY,)), a_campaign()
    ads = (an_ad(capped), an_ad(anybody, slot_ids=(mixed.id,)))
    base = (an_account(), a_property(), key)
    whole = (*base, mixed, only, capped, anybody, *ads)
    async with lone_edge(redis_url, namespace, folder, *whole, edge_workers=1) as edge:
        yield World(edge, text.text, capped.id, anybody.id)
