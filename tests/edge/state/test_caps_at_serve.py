"""Frequency caps from outside: who sees a capped ad how often, and what happens when nobody knows."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from common.pacing.worker_leases import LeasedBudgets
from common.service.cooperative import SharedSlice
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import Budget, Campaign, FrequencyCap, ObjectType
from common.snapshot.snapshot import apply_entries
from common.tracking.event import CounterRecord
from common.tracking.token import parse_token
from common.values.enums import EventKind
from common.values.environment import Environment
from edge.ports import LateCounts
from edge.state.cap_reservations import RESERVED_MS
from edge.state.frequency_caps import FrequencyCaps
from edge.state.remembered_counts import CACHED_FOR_MS, RememberedCounts
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.leases import grant_lease
from tests.support.memory_caps import MemoryCapStore
from tests.support.raw_http import RawAnswer, ask
from tests.support.waiting import PATIENCE_S

TEST = Environment.TEST
DAY_S = 86_400
ONCE_A_DAY = FrequencyCap("campaign", EventKind.IMPRESSION, 1, DAY_S)
TWICE_A_DAY = FrequencyCap("campaign", EventKind.IMPRESSION, 2, DAY_S)
PERSONAL = "slot=top&gdpr=0&uid="
BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"


@dataclass(slots=True)
class World:
    edge: RunningEdge
    store: MemoryCapStore
    key: str

    async def ask(self, query: str) -> RawAnswer:
        return await self.edge.serve(query, self.key, BROWSER)

    async def outcome(self, query: str) -> str:
        """The campaign that filled, or the reason of no fill."""
        answer = await self.ask(query)
        assert answer.status in (200, 204)
        if answer.status == 204:
            return answer.headers["x-no-fill-reason"]
        campaign_id: str = orjson.loads(answer.body)["campaign_id"]
        return campaign_id

    async def seen(self, query: str, event: str = "impression") -> dict[str, Any]:
        """Serves, tells the event, and has it counted."""
        shown: dict[str, Any] = orjson.loads((await self.ask(query)).body)
        body = orjson.dumps({"token": shown["track_token"], "event": event})
        head = (
            f"POST /v1/track HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Key: {self.key}\r\n{BROWSER}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        answer = await ask(self.edge.port, head.encode() + body)
        assert answer.status == 204
        assert await self.edge.context.frequency_caps.flush()
        return shown

    def wait(self, ms: int) -> None:
        self.edge.clock.advance(ms=ms)


@asynccontextmanager
async def a_world(*campaigns: Campaign) -> AsyncIterator[World]:
    text, key = a_key(environment=TEST)
    ads = [an_ad(campaign) for campaign in campaigns]
    snapshot = a_snapshot(a_slot(), key, *campaigns, *ads, environment=TEST)
    store = MemoryCapStore()
    async with running_edge(snapshot, caps=store) as edge:
        yield World(edge, store, text.text)


class GatedSlice(SharedSlice):
    """Opens for one step at a time; ``waiting`` has an item for each step that came."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: asyncio.Queue[None] = asyncio.Queue()
        self.gate = asyncio.Semaphore(0)

    async def checkpoint(self) -> None:
        self.waiting.put_nowait(None)
        await self.gate.acquire()


def capped(*caps: FrequencyCap, **changes: Any) -> Campaign:
    return a_campaign(environment=TEST, frequency_caps=caps or (ONCE_A_DAY,), **changes)


async def test_an_ad_capped_at_one_a_day_serves_once_to_each_person() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        await world.seen(f"{PERSONAL}anna")
        world.wait(RESERVED_MS)
        outcomes = [await world.outcome(f"{PERSONAL}{uid}") for uid in ("anna", "anna", "ben")]
    assert outcomes == ["frequency_capped", "frequency_capped", campaign.id]


async def test_both_decisions_of_a_request_that_waits_for_counts_take_part_in_the_shared_slice() -> (
    None
):
    campaign = capped()
    async with a_world(campaign) as world:
        world.edge.context.serve_slice = shared = GatedSlice()
        asked = asyncio.ensure_future(world.outcome(f"{PERSONAL}anna"))
        decided = []
        for _ in range(2):
            async with asyncio.timeout(PATIENCE_S):
                await shared.waiting.get()
            decided.append(dict(world.edge.counted()))
            shared.gate.release()
        assert await asked == campaign.id
    assert decided == [{}, {}]
    assert shared.waiting.empty()


async def test_a_burst_before_the_first_beacon_does_not_exceed_the_cap() -> None:
    campaign = capped(TWICE_A_DAY)
    async with a_world(campaign) as world:
        burst = [await world.outcome(f"{PERSONAL}anna") for _ in range(4)]
    assert burst == [campaign.id, campaign.id, "frequency_capped", "frequency_capped"]


async def test_an_ad_served_but_not_shown_is_available_again_after_a_minute() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        await world.outcome(f"{PERSONAL}anna")
        world.wait(RESERVED_MS)
        assert await world.outcome(f"{PERSONAL}anna") == campaign.id


async def test_an_impression_that_came_in_is_not_counted_twice() -> None:
    campaign = capped(TWICE_A_DAY)
    async with a_world(campaign) as world:
        await world.seen(f"{PERSONAL}anna")
        assert await world.outcome(f"{PERSONAL}anna") == campaign.id


async def test_the_window_passes() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        await world.seen(f"{PERSONAL}anna")
        world.wait(DAY_S * 1100)
        assert await world.outcome(f"{PERSONAL}anna") == campaign.id


async def test_a_cap_on_clicks_counts_clicks_alone() -> None:
    campaign = capped(FrequencyCap("ad", EventKind.CLICK, 1, DAY_S))
    async with a_world(campaign) as world:
        await world.seen(f"{PERSONAL}anna")
        assert await world.outcome(f"{PERSONAL}anna") == campaign.id
        world.wait(10_000)
        await world.seen(f"{PERSONAL}anna", "click")
        assert await world.outcome(f"{PERSONAL}anna") == "frequency_capped"


async def test_a_capped_person_gets_the_next_ad() -> None:
    first, second = capped(bid_cents=200), a_campaign(environment=TEST, bid_cents=100)
    async with a_world(first, second) as world:
        outcomes = [await world.outcome(f"{PERSONAL}anna") for _ in range(2)]
    assert outcomes == [first.id, second.id]


async def test_without_uid_or_counter_a_capped_ad_does_not_serve() -> None:
    async with a_world(capped()) as world:
        assert await world.outcome("slot=top&gdpr=0") == "cap_not_known"


async def test_a_uid_without_consent_is_not_used() -> None:
    async with a_world(capped()) as world:
        queries = (
            "slot=top&uid=anna",
            "slot=top&gdpr=1&uid=anna",
            "slot=top&gdpr=0&npa=1&uid=anna",
        )
        outcomes = [await world.outcome(query) for query in queries]
    assert outcomes == ["cap_not_known"] * 3
    assert world.store.reads == 0


async def test_the_callers_own_counter_opens_and_caps() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        answer = await world.ask("slot=top&seen=none")
        (cap,) = orjson.loads(answer.body)["caps"]
        again = await world.outcome(f"slot=top&seen={cap['name']}.1")
        other = await world.outcome("slot=top&seen=AAAAAAAA.9")
    assert (cap["event"], cap["window_seconds"]) == ("impression", DAY_S)
    assert (again, other) == ("frequency_capped", campaign.id)


async def test_a_counter_that_cannot_be_read_is_refused_with_what_to_do() -> None:
    async with a_world(capped()) as world:
        for text in ("1", "AAAAAAAA", "AAAAAAAA.x", ",", ",".join(["AAAAAAAA.1"] * 65)):
            answer = await world.ask(f"slot=top&seen={text}")
            error = orjson.loads(answer.body)["error"]
            assert (answer.status, error["param"]) == (422, "seen")


async def test_with_the_store_away_capped_ads_do_not_serve_and_others_do() -> None:
    first, second = capped(bid_cents=200), a_campaign(environment=TEST, bid_cents=100)
    async with a_world(first, second) as world:
        world.store.is_unavailable = True
        outcomes = [
            await world.outcome(f"{PERSONAL}anna"),
            await world.outcome(f"{PERSONAL}anna&seen=none"),
        ]
    assert outcomes == [second.id, first.id]


async def test_counts_of_recent_people_are_remembered_while_the_store_is_away() -> None:
    campaign = capped(TWICE_A_DAY)
    async with a_world(campaign) as world:
        frequency_caps = world.edge.context.frequency_caps
        await world.seen(f"{PERSONAL}anna")
        world.wait(RESERVED_MS)
        world.store.is_unavailable = True
        outcomes = [await world.outcome(f"{PERSONAL}{uid}") for uid in ("anna", "anna", "ben")]
        world.wait(CACHED_FOR_MS + 1)
        outcomes.append(await world.outcome(f"{PERSONAL}anna"))
    assert outcomes == [campaign.id, "frequency_capped", "cap_not_known", "cap_not_known"]
    assert (frequency_caps.lookups, frequency_caps.remembered, frequency_caps.unknown) == (5, 2, 2)


async def test_a_worker_connects_to_a_store_that_did_not_answer_at_its_start() -> None:
    store = MemoryCapStore()
    store.is_unavailable = True
    connecting = asyncio.create_task(FrequencyCaps(store, bytes(32)).run())
    async with asyncio.timeout(PATIENCE_S):
        while store.reads < 2:
            await asyncio.sleep(0.01)
            store.is_unavailable = store.reads == 0
    connecting.cancel()
    assert store.reads == 2


async def test_look_ups_and_those_without_an_answer_are_in_the_counters_of_their_property() -> None:
    campaign = capped(TWICE_A_DAY)
    async with a_world(campaign) as world:
        await world.outcome(f"{PERSONAL}anna")
        world.store.is_unavailable = True
        for query in (f"{PERSONAL}ben", f"{PERSONAL}ben&seen=none", "slot=top"):
            await world.outcome(query)
        await world.edge.context.counters.flush()
        bodies = [one.body for one in await world.edge.context.spool.read(0, 100)]
    rows = [row for one in bodies if isinstance(one, CounterRecord) for row in one.caps]
    assert rows == [(campaign.property_ids[0], 3, 1)]


async def test_remembered_counts_include_later_events_of_this_worker() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        frequency_caps, clock = world.edge.context.frequency_caps, world.edge.clock
        shown = orjson.loads((await world.ask(f"{PERSONAL}anna")).body)
        payload = parse_token(shown["track_token"])[0]
        snapshot = world.edge.context.snapshots.current()
        frequency_caps.count(snapshot, payload, EventKind.IMPRESSION, clock.now_ms())
        world.store.is_unavailable = True
        waiting = await world.outcome(f"{PERSONAL}anna")
        world.store.is_unavailable = False
        assert await frequency_caps.flush()
        world.store.is_unavailable = True
        counted = await world.outcome(f"{PERSONAL}anna")
    assert (waiting, counted, len(frequency_caps._uncounted)) == ("frequency_capped",) * 2 + (0,)


async def test_an_answer_that_came_too_late_is_used_by_the_next_request() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        world.store.late = True
        outcomes = [await world.outcome(f"{PERSONAL}anna")]
        world.store.answer_late()
        outcomes.append(await world.outcome(f"{PERSONAL}anna"))
    assert outcomes == ["cap_not_known", campaign.id]


def test_counts_that_were_remembered_before_the_clock_was_set_back_are_not_used() -> None:
    known = RememberedCounts()
    known.store(b"a", {"k": 1}, 3_600_000)
    assert known.find(b"a", 3_600_000 - CACHED_FOR_MS) == {"k": 1}
    assert known.find(b"a", 0) is None


def test_the_oldest_remembered_counts_are_dropped_first() -> None:
    known = RememberedCounts(max_persons=2)
    for person in (b"a", b"b", b"a", b"c"):
        known.store(person, {"k": 1}, 0)
    known.add(b"c", ["k", "l"])
    assert [known.find(person, 0) for person in (b"a", b"b", b"c")] == [
        {"k": 1},
        None,
        {"k": 2, "l": 1},
    ]


async def test_the_store_is_read_only_where_a_capped_ad_could_win() -> None:
    first, second = a_campaign(environment=TEST, bid_cents=200), capped(bid_cents=100)
    async with a_world(first, second) as world:
        await world.outcome(f"{PERSONAL}anna")
        assert world.store.reads == 0


async def test_a_token_names_a_person_only_with_a_consented_uid() -> None:
    async with a_world(a_campaign(environment=TEST)) as world:
        queries = (f"{PERSONAL}anna", "slot=top&gdpr=0", "slot=top&gdpr=1&uid=anna")
        shown = [orjson.loads((await world.ask(query)).body) for query in queries]
    people = [parse_token(one["track_token"])[0].person for one in shown]
    assert [bool(person) for person in people] == [True, False, False]


async def test_a_preview_token_names_no_person() -> None:
    campaign = a_campaign(environment=TEST)
    async with a_world(campaign) as world:
        ad_id = next(iter(world.edge.context.snapshots.current().ads.values())).id
        answer = await world.ask(f"{PERSONAL}anna&preview_ad={ad_id}")
    assert parse_token(orjson.loads(answer.body)["track_token"])[0].person == 0


async def test_two_tokens_of_one_person_look_unrelated() -> None:
    async with a_world(capped(TWICE_A_DAY)) as world:
        shown = [orjson.loads((await world.ask(f"{PERSONAL}anna")).body) for _ in range(2)]
    first, second = (parse_token(one["track_token"])[0].person for one in shown)
    assert first != second


async def test_events_wait_while_the_store_is_away_and_count_when_it_is_back() -> None:
    campaign = capped()
    async with a_world(campaign) as world:
        frequency_caps = world.edge.context.frequency_caps
        shown = orjson.loads((await world.ask(f"{PERSONAL}anna")).body)
        payload = parse_token(shown["track_token"])[0]
        snapshot, now_ms = world.edge.context.snapshots.current(), world.edge.clock.now_ms()
        frequency_caps.count(snapshot, payload, EventKind.IMPRESSION, now_ms)
        world.store.is_unavailable = True
        assert not await frequency_caps.flush()
        world.store.is_unavailable = False
        assert await frequency_caps.flush()
        world.wait(RESERVED_MS)
        assert await world.outcome(f"{PERSONAL}anna") == "frequency_capped"


async def test_an_event_counts_once_if_the_answer_of_the_store_was_lost() -> None:
    async with a_world(capped(TWICE_A_DAY)) as world:
        frequency_caps = world.edge.context.frequency_caps
        shown = orjson.loads((await world.ask(f"{PERSONAL}anna")).body)
        payload = parse_token(shown["track_token"])[0]
        snapshot, now_ms = world.edge.context.snapshots.current(), world.edge.clock.now_ms()
        frequency_caps.count(snapshot, payload, EventKind.IMPRESSION, now_ms)
        world.store.loses_answers = True
        assert not await frequency_caps.flush()
        world.store.loses_answers = False
        assert await frequency_caps.flush()
        world.wait(RESERVED_MS)
        assert await world.outcome(f"{PERSONAL}anna") != "frequency_capped"


async def test_a_live_campaign_with_a_tiny_budget_stops() -> None:
    campaign = a_campaign(bid_cents=100, budget=Budget(3_000, None))
    text, key = a_key()
    snapshot = a_snapshot(a_slot(), key, campaign, an_ad(campaign))
    async with running_edge(snapshot) as edge:
        budgets = edge.context.budgets
        assert isinstance(budgets, LeasedBudgets)
        grant_lease(budgets, campaign, 3_000)
        statuses = [(await edge.serve("slot=top", text.text)).status for _ in range(5)]
    assert statuses == [200, 200, 200, 204, 204]


async def test_changes_during_the_store_read_are_already_effective() -> None:
    campaign = capped()

    class Changing(MemoryCapStore):
        async def counts(
            self,
            person: bytes,
            now_ms: int,
            late: LateCounts | None = None,
            wait_s: float | None = None,
        ) -> Mapping[str, int]:
            paused = orjson.dumps({**orjson.loads(encode_object(campaign)), "status": "paused"})
            entry = ObjectChange(ObjectType.CAMPAIGN, campaign.id, paused)
            handle = world.edge.context.snapshots
            handle.swap(apply_entries(handle.current(), 2, [entry]))
            return await super().counts(person, now_ms, late, wait_s)

    async with a_world(campaign) as world:
        world.edge.context.frequency_caps = FrequencyCaps(Changing(), bytes(32))
        assert await world.outcome(f"{PERSONAL}anna") == "campaign_not_active"
