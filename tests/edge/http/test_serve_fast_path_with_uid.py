"""A call with a uid takes the fast path where no capped ad could win; where one could, it is left without a trace."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from common.snapshot.model import Campaign, FrequencyCap
from common.values.enums import EventKind
from edge.fastpath.http1.serve_path import ServeFastPath
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge

CAP = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600)


@dataclass(slots=True)
class Client:
    edge: RunningEdge
    key: str

    def ask(self, query: str) -> bytes | None:
        """The answer of the fast path; None where it leaves the call alone."""
        path: ServeFastPath = self.edge.app.config.SERVE_FAST_PATH
        head = f"GET /v1/serve?{query} HTTP/1.1\r\nHost: a\r\nX-Service-Key: {self.key}"
        return path.find_answer(head.encode(), 0, len(head), "127.0.0.1")

    def ask_as_person(self, more: str = "") -> bytes | None:
        return self.ask(f"slot={a_slot().key}&gdpr=0&uid=reader-1{more}")


@asynccontextmanager
async def a_client(*campaigns: Campaign) -> AsyncIterator[Client]:
    text, key = a_key()
    ads = [an_ad(campaign) for campaign in campaigns]
    async with running_edge(a_snapshot(a_slot(), key, *campaigns, *ads)) as edge:
        yield Client(edge, text.text)


async def test_without_capped_ads_the_fast_path_answers() -> None:
    async with a_client(a_campaign()) as client:
        answer = client.ask_as_person()
        assert answer is not None
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert client.edge.counted() == {"fill": 1}


async def test_where_a_capped_ad_could_win_the_fast_path_leaves_no_trace() -> None:
    async with a_client(a_campaign(frequency_caps=(CAP,))) as client:
        context = client.edge.context
        context.rng = random.Random(3)
        assert client.ask_as_person() is None
        assert (
            client.edge.counted(),
            len(context.limiter),
            context.metrics.fast_path_requests,
        ) == (
            {},
            0,
            0,
        )
        assert context.take_seed() == random.Random(3).getrandbits(64)


async def test_a_capped_ad_ranked_below_the_winner_does_not_matter() -> None:
    best, capped = a_campaign(bid_cents=900), a_campaign(bid_cents=1, frequency_caps=(CAP,))
    async with a_client(best, capped) as client:
        answer = client.ask_as_person()
        assert answer is not None
        assert best.id.encode() in answer


async def test_without_consent_a_uid_is_ignored_and_the_fast_path_answers() -> None:
    async with a_client(a_campaign(frequency_caps=(CAP,))) as client:
        answer = client.ask(f"slot={a_slot().key}&uid=reader-1")
        assert answer is not None
        assert answer.startswith(b"HTTP/1.1 204 ")


async def test_errors_in_a_request_with_a_uid_are_not_counted_by_the_fast_path() -> None:
    async with a_client(a_campaign()) as client:
        assert client.ask_as_person("&format=cheese") is None
        assert len(client.edge.context.limiter) == 0
