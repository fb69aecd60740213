"""Usual calls get the bytes, and leave the counts, that reading each of them whole would."""

import random
import re
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio
from uuid_utils import UUID

from common.decision.index import indexes_of
from common.decision.index.property_index import MEASURES, TreeParams
from common.decision.rules.gates import MAX_UNKNOWN_BUDGETS
from common.decision.rules.ranking import rank_of
from common.http.answer import RawResponse
from common.pacing.lease_messages import run_to_end
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import (
    TYPE_OF,
    Ad,
    Campaign,
    FrequencyCap,
    Goal,
    Pace,
    RateLimits,
    SnapshotObject,
)
from common.snapshot.snapshot import apply_entries, build_snapshot
from common.tracking.token import parse_token
from common.values.enums import EventKind, PricingModel, Priority, SlotStatus
from common.values.environment import Environment
from edge.adapters.maxmind_geo import MaxmindGeo
from edge.context import EdgeContext
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.ports import GeoLocation
from edge.request.call import Call
from edge.runtime.metrics import EdgeMetrics
from edge.serving.serve_flow import serve_inline
from edge.spool.counters import Counters
from edge.state.rate_limit import RateLimiter
from loadtests.bench.heads import serve_heads
from loadtests.bench.serving import make_serving, write_places
from loadtests.bench.world import World
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.consent_strings import PERSONAL, a_tc_string
from tests.support.edge import RunningEdge, running_edge
from tests.support.leases import grant_lease

_PEER = "127.0.0.1"
SMALL = TreeParams(leaf=16, first=8, run=4)
"""Of a property's ads make more than one block."""
_MADE_IDS = re.compile(rb"(?<=X-Request-Id: )[0-9a-f]{24}|(?<=\"request_id\":\")[0-9a-f]{24}")


@dataclass
class Pair:
    """The same edge twice: one remembers, the other reads every call whole."""

    world: World
    requests: list[bytes]
    edges: tuple[RunningEdge, RunningEdge]
    ways: tuple[ServeFastPath, ServeFastPath]

    def begin(self, objects: Iterable[SnapshotObject], measures: TreeParams = MEASURES) -> None:
        """Anew, with a world of *objects*. *measures*: of its indexes."""
        kept = list(objects)
        for edge in self.edges:
            context = edge.context
            context.rng = random.Random(5)
            context.limiter = RateLimiter(workers=1)
            context.budgets = _leased(one for one in kept if isinstance(one, Campaign))
            context.counters = Counters(context.spool, edge.clock, is_test=False)
            context.metrics = EdgeMetrics()
            context.new_token_id = _token_ids()
            snapshot = build_snapshot(Environment.LIVE, "e", 1, kept)
            indexes_of(snapshot, context.settings.ranking, measures)
            edge.adopt(snapshot)

    def change(self, *objects: SnapshotObject) -> None:
        entries = [ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects]
        for edge in self.edges:
            before = edge.context.snapshots.current()
            edge.adopt(apply_entries(before, before.version + 1, entries))

    def ask(self, requests: Sequence[bytes]) -> int:
        """The number of fills; fails where the two edges' answers or counts differ."""
        return sum(one is not None for one in self.winners(requests))

    def winners(self, requests: Sequence[bytes]) -> list[str | None]:
        """The campaign that each request is filled with, or None; fails as `ask` does."""
        return [one["campaign_id"] if one else None for one in self.answers(requests)]

    def answers(self, requests: Sequence[bytes]) -> list[dict[str, Any] | None]:
        """The fill that each request is answered with, or None; fails as `ask` does."""
        found: list[dict[str, Any] | None] = []
        for request in requests:
            one, other = (
                _known(way.find_answer(request, 0, len(request) - 4, _PEER)) for way in self.ways
            )
            assert one == other
            found.append(_fill(one))
        assert self._counts(0) == self._counts(1)
        return found

    def _counts(self, number: int) -> tuple[object, ...]:
        context = self.edges[number].context
        context.counters.gather()
        return (
            context.counters._rows,
            dict(context.metrics.decisions),
            dict(context.metrics.refusals),
            run_to_end(context.budgets.count_steps()),
            len(context.limiter),
            context.peek_seed(),
        )


def _leased(campaigns: Iterable[Campaign]) -> LeasedBudgets:
    """Of each campaign its whole budget."""
    budgets = LeasedBudgets()
    for number, campaign in enumerate(campaigns, 1):
        if campaign.budget is not None:
            grant_lease(budgets, campaign, campaign.budget.total_micros or 0, number=number)
    return budgets


def _token_ids() -> Callable[[int], UUID]:
    numbers = count(1)
    return lambda now_ms: UUID(int=now_ms << 80 | next(numbers))


def _read_whole(edge: EdgeContext, call: Call) -> RawResponse | None:
    return serve_inline(edge, call)


def _known(answer: bytes | None) -> bytes | None:
    """Without the request ids that were made."""
    return answer if answer is None else _MADE_IDS.sub(b"made", answer)


def _fill(answer: bytes | None) -> dict[str, Any] | None:
    if answer is None or not answer.startswith(b"HTTP/1.1 200 "):
        return None
    found: dict[str, Any] = orjson.loads(answer.partition(b"\r\n\r\n")[2])
    return found


@pytest_asyncio.fixture(scope="module")
async def pair(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    world = make_serving(KEY_RING, campaigns=40, now_ms=NOW_MS)
    requests = serve_heads(world, 150, seed=3).requests
    snapshot = build_snapshot(Environment.LIVE, "e", 1, world.objects)
    async with (
        running_edge(snapshot, proxies_count=1) as one,
        running_edge(snapshot, proxies_count=1) as other,
    ):
        geo = _places(tmp_path_factory.mktemp("geo"))
        one.context.geo = other.context.geo = geo
        whole = ServeFastPath(other.app, _read_whole)
        yield Pair(world, requests, (one, other), (ServeFastPath(one.app), whole))


def _places(folder: Path) -> MaxmindGeo:
    write_places(folder / "places.mmdb")
    geo = MaxmindGeo(folder / "places.mmdb")
    geo.look()
    return geo


def with_bids_of_their_own(objects: Iterable[SnapshotObject]) -> list[SnapshotObject]:
    """Paid ones: no two campaigns are equals."""
    bids = count(1_000, 10)
    return [
        replace(one, bid_micros=next(bids)) if isinstance(one, Campaign) and one.bid_micros else one
        for one in objects
    ]


async def test_a_line_goes_on_behind_a_block_nobody_of_which_shows(pair: Pair) -> None:
    pair.begin(pair.world.objects, SMALL)
    asked = pair.requests * 2
    assert pair.ask(asked) == len(asked)
    ranked = sorted(pair.world.campaigns, key=lambda one: (rank_of(one), -one.bid_micros))
    best = ranked[:6]
    pair.change(*(Pace(one.id, spent_micros=0, pass_ppm=0) for one in best))
    assert pair.ask(asked) == len(asked)


async def test_a_block_further_on_that_changes_changes_the_next_answer(pair: Pair) -> None:
    """Campaigns of the last block match everybody, one after the other; most of them win some calls."""
    pair.begin(pair.world.objects, SMALL)
    pair.change(*(Pace(one.id, pass_ppm=0) for one in pair.world.campaigns[1:-10]))
    pair.ask(pair.requests * 2)
    last = pair.world.campaigns[-10:]
    newly_won = 0
    for campaign in last:
        before = pair.winners(pair.requests[:20])
        pair.change(replace(campaign, targeting=""))
        newly_won += pair.winners(pair.requests[:20]).count(campaign.id) > before.count(campaign.id)
    assert newly_won >= 3
    won = {one.id for one in last[-5:]} & set(pair.winners(pair.requests))
    assert won
    pair.change(*(replace(one, bid_micros=1) for one in last[-5:]))
    assert not won & set(pair.winners(pair.requests))


def _changed(world: World, **changes: object) -> list[SnapshotObject]:
    """Every campaign with *changes*."""
    return [
        replace(one, **changes) if isinstance(one, Campaign) else one  # type: ignore[arg-type]  # of a campaign
        for one in world.objects
    ]


async def test_calls_met_before_and_not_are_answered_alike(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    assert pair.ask(pair.requests + pair.requests) == 2 * len(pair.requests)


@pytest.mark.parametrize("measures", [MEASURES, SMALL], ids=["one block", "many blocks"])
async def test_they_are_answered_without_being_read(pair: Pair, measures: TreeParams) -> None:
    pair.begin(with_bids_of_their_own(pair.world.objects), measures)
    pair.ask(pair.requests)
    usual = pair.ways[0]._usual
    assert usual is not None
    assert all(usual.find_answer(one, 0, len(one) - 4, _PEER) for one in pair.requests)


async def test_what_a_delta_changes_changes_the_next_answer(pair: Pair) -> None:
    world = pair.world
    house = world.campaigns[0]
    auction = (one for one in world.campaigns if one.priority is Priority.AUCTION)
    paid = next(one for one in auction if one.pricing_model is PricingModel.CPM)
    pair.begin(world.objects)
    before = pair.winners(pair.requests)
    assert set(before) > {house.id}
    paces = pair.edges[0].context.snapshots.current().paces.values()

    pair.change(*(replace(pace, pass_ppm=0) for pace in paces))
    assert set(pair.winners(pair.requests)) == {house.id}

    pair.change(*(replace(pace, pass_ppm=1_000_000) for pace in paces))
    assert set(pair.winners(pair.requests)) > {house.id}

    pair.change(replace(paid, bid_micros=9_000_000, targeting=""))
    assert pair.winners(pair.requests).count(paid.id) > before.count(paid.id)

    pair.change(*(replace(slot, floor_micros=10**11) for slot in world.slots))
    assert paid.id not in pair.winners(pair.requests)

    pair.change(replace(world.slots[1], status=SlotStatus.ARCHIVED))
    assert None in pair.winners(pair.requests)

    pair.change(replace(house, targeting='{"geo":{"include":[{"country":"de"}]}}'))
    assert 0 < pair.winners(pair.requests).count(house.id) < len(pair.requests) // 2

    pair.change(replace(world.property, rate_limits=RateLimits(1, 1, 1, 1)))
    assert pair.ask(pair.requests) <= 1


async def test_a_delta_of_the_property_changes_the_life_of_the_next_tokens(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    pair.ask(pair.requests)
    pair.change(replace(pair.world.property, token_ttl_seconds=77))
    filled = [one for one in pair.answers(pair.requests) if one is not None]
    assert {parse_token(one["track_token"])[0].life_s for one in filled} == {77}


async def test_a_revoked_key_is_refused_at_once(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    pair.ask(pair.requests)
    (key,) = pair.edges[0].context.snapshots.current().keys_by_hash.values()
    pair.change(replace(key, revoked_at_ms=NOW_MS - 1))
    assert pair.ask(pair.requests) == 0


async def test_a_key_is_refused_from_the_moment_it_expires(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    (key,) = pair.edges[0].context.snapshots.current().keys_by_hash.values()
    pair.change(replace(key, expires_at_ms=NOW_MS + 1000))
    assert pair.ask(pair.requests) == len(pair.requests)
    for edge in pair.edges:
        edge.clock.advance(ms=1000)
    try:
        assert pair.ask(pair.requests) == 0
    finally:
        for edge in pair.edges:
            edge.clock.advance(ms=-1000)


async def test_dayparts_and_flights_open_and_close(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    winners = []
    try:
        for _ in range(8):
            winners.append(set(pair.winners(pair.requests[:100])))
            for edge in pair.edges:
                edge.clock.advance(ms=3 * 3_600_000)
        assert winners[0] > winners[-1] == {pair.world.campaigns[0].id}
    finally:
        for edge in pair.edges:
            edge.clock.advance(ms=-24 * 3_600_000)


@pytest.mark.parametrize(
    ("changes", "fills"),
    [
        ({"priority": Priority.SPONSORSHIP, "share_of_voice_percent": 2}, range(1, 100)),
        ({"goal": Goal(EventKind.IMPRESSION, 1)}, range(300, 301)),
        # Nobody's count is known without a user id, so a cap lets nothing through.
        ({"frequency_caps": (FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600),)}, range(1)),
        ({"bid_micros": 5_000}, range(300, 301)),
        ({"bid_micros": 5_000, "targeting": ""}, range(300, 301)),
    ],
    ids=["share of voice", "goal", "cap", "equal bids", "equal bids for everybody"],
)
async def test_what_is_not_usual_of_a_campaign_is_decided_alike(
    pair: Pair, changes: dict[str, object], fills: range
) -> None:
    pair.begin(_changed(pair.world, **changes))
    assert pair.ask(pair.requests + pair.requests) in fills


async def test_weights_and_spent_budgets_are_decided_alike(pair: Pair) -> None:
    weights = random.Random(9)
    objects = [
        replace(one, weight=weights.randint(1, 9)) if isinstance(one, Ad) else one
        for one in _changed(pair.world)
    ]
    pair.begin(objects)
    for edge in pair.edges:
        campaigns = [one for one in objects if isinstance(one, Campaign)]
        edge.context.budgets = _leased(campaigns[::2])
    budgeted = {one.id for one in campaigns[1::2] if one.budget is not None}
    winners = set(pair.winners(pair.requests + pair.requests))
    assert len(winners) > 1
    assert not winners & budgeted


async def test_a_call_too_many_is_refused_alike(pair: Pair) -> None:
    limits = RateLimits(1, 10, 1, 10)
    objects = [
        replace(one, rate_limits=limits) if one is pair.world.property else one
        for one in pair.world.objects
    ]
    pair.begin(objects)
    mine = [one[:-2] + b"X-Request-Id: mine-1\r\n\r\n" for one in pair.requests]
    assert pair.ask(mine + mine) < len(mine)


async def test_headers_of_consent_and_the_page_s_own_languages_count(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    for line, fills in (
        (b"Sec-GPC: 1\r\n", 200),
        (b"DNT: 1\r\n", 200),
        (b"Accept: text/html\r\n", 0),  # answered as a page, by neither of the two
    ):
        asked = [one[:-2] + line + b"\r\n" for one in pair.requests[:100]] * 2
        assert pair.ask(asked) == fills, line
    for more, fills in (
        (b"lang=de", 200),
        (b"coppa=1", 200),
        (b"format=banner", 200),
        (b"w=100&h=50", 0),  # no slot takes that size
        (b"gdpr=1", 200),
        (b"uid=a", 200),
    ):
        assert pair.ask([_saying(one, more) for one in pair.requests[:100]] * 2) == fills, more


def _saying(request: bytes, *more: bytes) -> bytes:
    """*request* with *more* in its query."""
    return request.replace(b" HTTP/", b"".join(b"&" + one for one in more) + b" HTTP/", 1)


def _strings(count: int) -> list[bytes]:
    """Of as many readers, one like the other but for a vendor each; every other one said no."""
    return [
        a_tc_string(consents=PERSONAL if number % 2 else (), vendor_consents=(number + 1,)).encode()
        for number in range(count)
    ]


async def test_each_reader_s_own_consent_string_counts(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    said = [b"gdpr_consent=" + text for text in _strings(12)]
    for one in pair.requests[:10]:
        for before, after in (
            (b"gdpr=1", b""),
            (b"", b""),
            (b"", b"gdpr=0&coppa=1"),
            (b"", b"uid=a"),
        ):
            asked = [_saying(one, *filter(None, (before, text, after))) for text in said]
            assert pair.ask(asked * 2) == 2 * len(asked)


async def test_a_page_is_remembered_once_for_all_who_say_the_same(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    usual = pair.ways[0]._usual
    assert usual is not None
    said = [b"gdpr_consent=" + text for text in _strings(60)]
    one = pair.requests[0]
    pair.ask([_saying(one, b"gdpr=1", text) for text in said[:2]])
    before = len(usual._caches._pages)
    pair.ask([_saying(one, b"gdpr=1", text) for text in said[2:]])
    assert len(usual._caches._pages) == before


@pytest.mark.parametrize(
    "more",
    [
        (b"gdpr%5Fconsent=X", b"gdpr=1"),
        (b"gdpr_consent=X", b"g%64pr=1"),
        (b"gdpr_consent=X", b"gdpr_consent=Y"),
        (b"gdpr_consent=", b"gdpr=1"),
        (b"gdpr_consent",),
        (b"gdpr_consent=X&", b"gdpr=1"),
        (b"xgdpr_consent=X", b"gdpr=1"),
        (b"gpp=DBAA", b"gpp_sid=2"),
        (b"gpp=DBAA", b"gpp_sid=2", b"us_privacy=1YYN", b"lgpd=0", b"npa=1"),
    ],
)
async def test_oddly_written_consent_is_read_alike(pair: Pair, more: tuple[bytes, ...]) -> None:
    pair.begin(pair.world.objects)
    for one in pair.requests[:10]:
        asked = [_saying(one, *more), _saying(one, more[0]), _saying(one, *more[1:])] * 2
        assert pair.ask(asked) == len(asked)


async def test_other_places_hold_from_the_first_call(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    there = '{"geo":{"include":[{"country":"sg"}]}}'
    wanted = replace(pair.world.campaigns[1], bid_micros=9_000_000, targeting=there)
    pair.change(wanted)
    assert wanted.id not in pair.winners(pair.requests)
    before = pair.edges[0].context.geo
    try:
        for edge in pair.edges:
            edge.context.geo = _Elsewhere()
        assert wanted.id in pair.winners(pair.requests)
    finally:
        for edge in pair.edges:
            edge.context.geo = before


class _Elsewhere:
    failures = built_s = 0
    edition = 2

    def find(self, address: str) -> GeoLocation:  # noqa: ARG002 - wherever that is
        return GeoLocation("sg", None)


async def test_no_snapshot_is_kept_that_another_took_the_place_of(pair: Pair) -> None:
    pair.begin(pair.world.objects)
    pair.ask(pair.requests)
    before = weakref.ref(pair.edges[0].context.snapshots.current())
    pair.begin(pair.world.objects)
    assert before() is None


async def test_a_worker_that_begins_turns_to_those_who_need_no_budget(pair: Pair) -> None:
    free = replace(pair.world.campaigns[-1], budget=None)
    others = [one for one in pair.world.objects if getattr(one, "id", "") != free.id]
    pair.begin([*others, free, *_spenders(pair.world, 2 * MAX_UNKNOWN_BUDGETS)])
    for edge in pair.edges:
        edge.context.budgets = _leased(pair.world.campaigns[:1])
    for _ in range(40):  # each call tells the native cache one thing it lacked
        assert pair.ask(pair.requests[:30]) == 30


def _spenders(world: World, number: int) -> Iterator[SnapshotObject]:
    """Campaigns for everybody, worth more than all others, each with a budget and an ad."""
    campaign = next(one for one in world.campaigns if one.budget is not None)
    ad = next(
        one for one in world.objects if isinstance(one, Ad) and one.campaign_id == campaign.id
    )
    for at in range(number):
        name = f"01900000-0000-7000-8000-{at:012x}"
        yield replace(campaign, id=name, targeting="", bid_micros=10**9 - at)
        yield replace(ad, id=f"01900000-0000-7000-8001-{at:012x}", campaign_id=name, targeting="")
