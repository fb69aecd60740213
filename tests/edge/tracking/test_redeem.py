"""From token to kept event: what is refused, what is kept once, and that keeping comes before claiming."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from common.tracking.token import NOT_MEASURED, TokenPayload, TokenUse
from common.user_agent.robots import find_robot_rule
from common.values.clock import FixedClock
from common.values.enums import EventKind, QualitySignal, Reason
from common.values.environment import Environment
from edge.context import EdgeContext
from edge.ports import TokenClaim, TokenKey
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed, RedemptionPipeline
from edge.tracking.redeem import Conversion, RequestEvidence, redeem
from tests.edge.tracking.track_clients import AllGermany, shown_at
from tests.support.builders import NOW_MS, a_property, a_snapshot
from tests.support.memory_tokens import MemoryTokenStore
from tests.support.spools import fill_up, raw_bytes, until
from tests.support.tokens import a_payload
from tests.support.worker import an_edge, events_of, later

BROWSER = RequestEvidence(
    ip="203.0.113.77",
    user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
    origin="https://shop.example",
    referrer="https://shop.example/basket?user=anna",
    prefetch=False,
    server_caller=False,
)
ROBOT = RequestEvidence(
    ip="203.0.113.78",
    user_agent="Googlebot/2.1",
    origin=None,
    referrer=None,
    prefetch=False,
    server_caller=False,
)


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[EdgeContext]:
    async with an_edge(tmp_path, a_snapshot()) as opened:
        yield opened


async def redeem_it(
    edge: EdgeContext,
    payload: TokenPayload,
    kind: EventKind | QualitySignal = EventKind.IMPRESSION,
    *,
    evidence: RequestEvidence = BROWSER,
) -> Redeemed:
    return await redeem(edge, shown_at(edge, payload), kind, evidence, edge.clock.now_ms())


async def test_each_field_of_the_token_is_stored_under_its_name(edge: EdgeContext) -> None:
    ids = [uuid.uuid4() for _ in range(3)]
    payload = replace(
        a_payload(), slot_id=ids[0], ad_id=ids[1], campaign_id=ids[2], price_micros=7, person=0
    )
    await redeem_it(edge, payload)
    (event,) = await events_of(edge)
    facts = asdict(payload)
    kept = {name: value for name, value in asdict(event).items() if name in facts and value}
    assert kept == {name: facts[name] for name in kept}
    assert {"token_id", "slot_id", "ad_id", "campaign_id", "price_micros", "issued_ms"} <= set(kept)


async def test_a_redeemed_token_is_an_event_on_disk(edge: EdgeContext) -> None:
    payload = a_payload()
    later(edge, s=2)
    assert await redeem_it(edge, payload) is Redeemed.COUNTED
    (event,) = await events_of(edge)
    assert (event.kind, event.reason) == (EventKind.IMPRESSION, Reason.OK)
    assert (event.issued_ms, event.at_ms) == (NOW_MS, NOW_MS + 2_000)
    for name in ("token_id", "property_id", "slot_id", "ad_id", "campaign_id", "price_micros"):
        assert getattr(event, name) == getattr(payload, name)


async def test_an_event_records_place_device_and_person(tmp_path: Path) -> None:
    async with an_edge(tmp_path, a_snapshot()) as edge:
        edge.geo = AllGermany()
        payload = a_payload()
        person = edge.frequency_caps.person(str(payload.property_id), "anna")
        masked = edge.frequency_caps.masked(person, payload.token_id.bytes)
        named = replace(payload, person=int.from_bytes(masked, "big"))
        await redeem_it(edge, named)
        await redeem_it(
            edge, payload, EventKind.CLICK, evidence=replace(BROWSER, server_caller=True)
        )
        by_reader, by_server = await events_of(edge)
    assert (by_reader.country, by_reader.device, by_reader.person) == (
        "de",
        "desktop",
        person.hex(),
    )
    assert (by_server.country, by_server.device, by_server.person) == (None, None, None)


async def test_without_measurement_consent_an_event_is_counted_without_details(
    edge: EdgeContext,
) -> None:
    payload = a_payload(marks=NOT_MEASURED, consent_limited=True)
    person = edge.frequency_caps.person(str(payload.property_id), "anna")
    masked = edge.frequency_caps.masked(person, payload.token_id.bytes)
    payload = replace(payload, person=int.from_bytes(masked, "big"))
    order = Conversion(value_cents=900, currency="EUR", order_id="A-1")

    for kind in (*EventKind, *QualitySignal):
        token = shown_at(edge, payload)
        result = await redeem(edge, token, kind, BROWSER, NOW_MS + 5_000, conversion=order)
        assert result is Redeemed.COUNTED

    events = await events_of(edge)
    assert [event.kind for event in events] == list(EventKind)
    assert {event.reason for event in events} == {Reason.OK_CONSENT_LIMITED}
    assert {(event.person, event.order_id, event.value_cents) for event in events} == {(None,) * 3}


async def test_a_token_counts_once_for_each_kind(edge: EdgeContext) -> None:
    payload = a_payload()
    results = [await redeem_it(edge, payload) for _ in range(3)]
    assert results == [Redeemed.COUNTED, Redeemed.DUPLICATE, Redeemed.DUPLICATE]
    assert len(await events_of(edge)) == 1


async def test_a_token_counts_for_every_kind(edge: EdgeContext) -> None:
    payload = a_payload()
    kinds = [*EventKind, *QualitySignal]
    assert [await redeem_it(edge, payload, kind) for kind in kinds] == [Redeemed.COUNTED] * 11
    assert [event.kind for event in await events_of(edge)] == kinds


async def test_a_kind_counts_once_over_all_endpoints(edge: EdgeContext) -> None:
    payload = a_payload()
    at_pixel = shown_at(edge, payload, TokenUse.IMPRESSION)
    await redeem(edge, at_pixel, EventKind.IMPRESSION, BROWSER, NOW_MS)
    assert await redeem_it(edge, payload) is Redeemed.DUPLICATE


async def test_one_of_many_concurrent_events_is_stored(edge: EdgeContext) -> None:
    payload = a_payload()
    results = await asyncio.gather(*(redeem_it(edge, payload) for _ in range(50)))
    assert results.count(Redeemed.COUNTED) == 1
    assert len(await events_of(edge)) == 1


async def test_without_the_token_store_an_event_is_still_stored(tmp_path: Path) -> None:
    tokens = MemoryTokenStore(FixedClock(NOW_MS))
    tokens.is_unavailable = True
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        assert await redeem_it(edge, a_payload()) is Redeemed.COUNTED
        assert len(await events_of(edge)) == 1
        assert edge.redemptions.counts.store_unavailable == 2


async def test_without_the_token_store_a_worker_recognises_its_own_events(tmp_path: Path) -> None:
    tokens = MemoryTokenStore(FixedClock(NOW_MS))
    tokens.is_unavailable = True
    payload = a_payload()
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        results = [await redeem_it(edge, payload) for _ in range(2)]
        assert results == [Redeemed.COUNTED, Redeemed.DUPLICATE]
        assert len(await events_of(edge)) == 1


async def test_without_the_token_store_a_worker_recognises_the_last_ten_thousand_events(
    tmp_path: Path,
) -> None:
    tokens = MemoryTokenStore(FixedClock(NOW_MS))
    tokens.is_unavailable = True
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens, spool_max_bytes=1 << 24) as edge:
        payloads = [a_payload() for _ in range(10_001)]
        await asyncio.gather(*(redeem_it(edge, one) for one in payloads))
        results = await asyncio.gather(*(redeem_it(edge, one) for one in payloads[1:]))
        assert set(results) == {Redeemed.DUPLICATE}


async def test_without_the_token_store_concurrent_replays_are_still_one(tmp_path: Path) -> None:
    tokens = MemoryTokenStore(FixedClock(NOW_MS))
    tokens.is_unavailable = True
    payload = a_payload()
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        await asyncio.gather(*(redeem_it(edge, payload) for _ in range(20)))
        assert len(await events_of(edge)) == 1


async def test_an_event_that_was_not_stored_claims_no_token(tmp_path: Path) -> None:
    payload = a_payload()
    async with an_edge(tmp_path, a_snapshot(), spool_max_bytes=150_000) as edge:
        await fill_up(edge.spool)
        with pytest.raises(SpoolFull):
            await redeem_it(edge, payload)
        edge.spool.settle(edge.spool.last_sequence)
        assert await redeem_it(edge, payload) is Redeemed.COUNTED


async def test_a_mails_token_is_claimed_for_a_day_of_its_month(edge: EdgeContext) -> None:
    """Beyond the claim ingest alone collapses replays, as it does without the store."""
    month_s = 30 * 86_400
    payload = replace(a_payload(), life_s=month_s, click_life_s=month_s)
    results = [await redeem_it(edge, payload)]
    later(edge, s=86_400)
    _as_another_worker(edge)
    results.append(await redeem_it(edge, payload))
    later(edge, s=3_600)
    _as_another_worker(edge)
    results.append(await redeem_it(edge, payload))
    later(edge, s=month_s - 90_000)
    assert results == [Redeemed.COUNTED, Redeemed.DUPLICATE, Redeemed.COUNTED]
    assert not shown_at(edge, payload).expired


def _as_another_worker(edge: EdgeContext) -> None:
    """It remembers nothing of what was redeemed, and has the token store alone."""
    edge.redemptions = RedemptionPipeline(
        edge.tokens, edge.spool, edge.frequency_caps, edge.snapshots
    )


class _LostAnswers(MemoryTokenStore):
    """Claims never arrive, as when the process dies between keeping and claiming."""

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        """Nothing."""
        return [True] * len(claims)


async def test_a_crash_before_the_claim_keeps_the_event_and_its_retry(tmp_path: Path) -> None:
    payload = a_payload()
    tokens = _LostAnswers(FixedClock(NOW_MS))
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        assert await redeem_it(edge, payload) is Redeemed.COUNTED
        _as_another_worker(edge)
        assert await redeem_it(edge, payload) is Redeemed.COUNTED
        assert {event.token_id for event in await events_of(edge)} == {payload.token_id}


class _WaitingStore(MemoryTokenStore):
    """Answers no lookup before `answering` is set. ``sizes``: the keys of each lookup."""

    def __init__(self) -> None:
        super().__init__(FixedClock(NOW_MS))
        self.answering = asyncio.Event()
        self.sizes = list[int]()

    async def seen(self, token_keys: Sequence[TokenKey]) -> list[bool]:
        self.sizes.append(len(token_keys))
        await self.answering.wait()
        return await super().seen(token_keys)


async def test_events_that_arrive_during_a_lookup_share_the_next_one(tmp_path: Path) -> None:
    tokens = _WaitingStore()
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        redemptions = [asyncio.create_task(redeem_it(edge, a_payload()))]
        await until(lambda: tokens.sizes == [1])
        for _ in range(3):
            redemptions.append(asyncio.create_task(redeem_it(edge, a_payload())))
            await asyncio.sleep(0.01)
        tokens.answering.set()

        assert await asyncio.gather(*redemptions) == [Redeemed.COUNTED] * 4
        assert tokens.sizes == [1, 3]


class _Crossed(MemoryTokenStore):
    """Two workers looked before either claimed."""

    async def seen(self, turns: Sequence[TokenKey]) -> list[bool]:
        return [False] * len(turns)


@pytest.mark.parametrize("evidence", [BROWSER, ROBOT])
async def test_of_two_workers_that_store_one_event_concurrently_one_reports_it_as_counted(
    tmp_path: Path, evidence: RequestEvidence
) -> None:
    payload = a_payload()
    tokens = _Crossed(FixedClock(NOW_MS))
    async with an_edge(tmp_path, a_snapshot(), tokens=tokens) as edge:
        first = edge.redemptions
        reported = [await redeem_it(edge, payload, evidence=evidence)]
        _as_another_worker(edge)
        reported.append(await redeem_it(edge, payload, evidence=evidence))

        assert reported == [Redeemed.COUNTED, Redeemed.DUPLICATE]
        assert (first.counts.counted, first.counts.duplicate) == (1, 0)
        assert (edge.redemptions.counts.counted, edge.redemptions.counts.duplicate) == (0, 1)
        assert (
            len({(event.token_id, event.kind, event.reason) for event in await events_of(edge)})
            == 1
        )


async def test_an_invalid_event_does_not_use_up_the_token(edge: EdgeContext) -> None:
    payload = a_payload()
    await redeem_it(edge, payload, EventKind.CLICK, evidence=ROBOT)
    assert await redeem_it(edge, payload, EventKind.CLICK) is Redeemed.COUNTED
    reasons = [event.reason for event in await events_of(edge)]
    assert reasons == [Reason.BOT_USER_AGENT, Reason.OK]


async def test_a_repeating_robot_is_stored_once(edge: EdgeContext) -> None:
    payload = a_payload()
    for _ in range(5):
        await redeem_it(edge, payload, evidence=ROBOT)
    assert len(await events_of(edge)) == 1


async def test_a_caller_that_goes_away_frees_the_token_for_the_next(edge: EdgeContext) -> None:
    payload = a_payload()
    gone = asyncio.create_task(redeem_it(edge, payload))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(redeem_it(edge, payload))
    await asyncio.sleep(0)
    gone.cancel()
    assert await waiting in Redeemed
    await until(gone.done)


async def test_a_conversion_brings_its_value_along(edge: EdgeContext) -> None:
    token = shown_at(edge, a_payload())
    brought = Conversion(4_999, "EUR", "order-7")
    await redeem(edge, token, EventKind.CONVERSION, BROWSER, NOW_MS, conversion=brought)
    (event,) = await events_of(edge)
    assert (event.value_cents, event.currency, event.order_id) == (4_999, "EUR", "order-7")


async def test_no_personal_data_reaches_the_disk(edge: EdgeContext, tmp_path: Path) -> None:
    await redeem_it(edge, a_payload())
    raw = raw_bytes(tmp_path)
    for secret in (b"203.0.113.77", b"anna", b"basket", b"Gecko", b"X11"):
        assert secret not in raw
    (event,) = await events_of(edge)
    assert event.facts.ip_prefix == "203.0.113.0/24"
    assert (event.facts.user_agent_family, event.facts.user_agent_major) == ("Firefox", "132")
    assert event.facts.referrer_origin == "https://shop.example"


async def test_an_event_of_a_robot_names_the_pattern_that_recognised_it(edge: EdgeContext) -> None:
    await redeem_it(edge, a_payload(), evidence=ROBOT)
    await redeem_it(edge, a_payload())
    robot, person = await events_of(edge)
    rule = find_robot_rule("Googlebot/2.1")
    assert rule is not None
    assert (robot.reason, robot.facts.user_agent_pattern) == (Reason.BOT_USER_AGENT, str(rule))
    assert person.facts.user_agent_pattern is None


async def test_records_of_one_client_carry_one_key_until_midnight(edge: EdgeContext) -> None:
    for _ in range(2):
        await redeem_it(edge, a_payload())
    later(edge, s=86_400)
    await redeem_it(edge, a_payload(issued_ms=edge.clock.now_ms()))
    first, second, next_day = [r.partition_key for r in await edge.spool.read(0, 10)]
    assert first == second != next_day


async def test_a_test_edge_takes_test_tokens(tmp_path: Path) -> None:
    snapshot = a_snapshot(a_property(), environment=Environment.TEST)
    async with an_edge(tmp_path, snapshot) as edge:
        await redeem_it(edge, a_payload(is_test=True))
        (event,) = await events_of(edge)
        assert (event.is_test, event.reason) == (True, Reason.OK_TEST)
