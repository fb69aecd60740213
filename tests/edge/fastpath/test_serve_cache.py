"""The serve cache gives the bytes, and leaves the counts, of the slow path; and it answers what it may hold."""

import random
import re
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from common.decision.index.property_index import TREE_PARAMS, TreeParams
from common.decision.rules.gates import MAX_UNKNOWN_BUDGETS
from common.decision.rules.kinds import TARGETING_KINDS
from common.decision.rules.kinds.kind import TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.ranking import rank_of
from common.decision.rules.targeting import missed_kind, parse_targeting
from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, Campaign, FrequencyCap, Goal, Pace, RateLimits, SnapshotObject
from common.tracking.token import parse_token
from common.values.enums import EventKind, PricingModel, Priority, SlotStatus
from edge.ports import GeoLocation
from loadtests.bench.world import World
from tests.common.decision.worlds import Worlds
from tests.support.builders import NOW_MS
from tests.support.edge_pair import (
    MANY_BLOCKS,
    EdgePair,
    lease_all,
    with_distinct_bids,
    with_header,
    with_query,
)

_HOUR_MS = 3_600_000


@pytest.mark.parametrize("params", [TREE_PARAMS, MANY_BLOCKS], ids=["one block", "many blocks"])
async def test_requests_whose_parts_are_cached_are_answered_by_the_cache_alone(
    pair: EdgePair, params: TreeParams
) -> None:
    pair.begin(with_distinct_bids(pair.world.objects), params)

    assert pair.serve(pair.requests) == len(pair.requests)
    pair.fill_cache(pair.requests)


async def test_the_look_up_continues_in_the_next_block_where_no_ad_of_a_block_shows(
    pair: EdgePair,
) -> None:
    pair.begin(with_distinct_bids(pair.world.objects), MANY_BLOCKS)
    before = set(pair.winners(pair.requests))
    ranked = sorted(pair.world.campaigns, key=lambda one: (rank_of(one), -one.bid_micros))
    best = {one.id for one in ranked[:6]}
    assert best & before

    pair.change(*(Pace(name, spent_micros=0, pass_ppm=0) for name in best))
    after = set(pair.winners(pair.requests))
    pair.fill_cache(pair.requests)

    assert not best & after
    assert None not in after


async def test_a_change_in_a_later_block_changes_the_next_answer(pair: EdgePair) -> None:
    """Campaigns of the last block match everybody, one after the other; most of them win some calls."""
    pair.begin(pair.world.objects, MANY_BLOCKS)
    pair.change(*(Pace(one.id, pass_ppm=0) for one in pair.world.campaigns[1:-10]))
    pair.serve(pair.requests * 2)
    last = pair.world.campaigns[-10:]
    newly_won = 0
    for campaign in last:
        before = pair.winners(pair.requests[:20])
        pair.change(replace(campaign, targeting=""))
        newly_won += pair.winners(pair.requests[:20]).count(campaign.id) > before.count(campaign.id)
    assert newly_won >= 3
    # So that for each request one of these is left, whatever pacing does to the others.
    pair.change(*(Pace(one.id, pass_ppm=1_000_000) for one in last[:5]))
    won = {one.id for one in last[-5:]} & set(pair.winners(pair.requests))
    assert won

    pair.change(*(replace(one, bid_micros=1) for one in last[-5:]))

    assert not won & set(pair.winners(pair.requests))


async def test_what_a_delta_changes_changes_the_next_answer(pair: EdgePair) -> None:
    world = pair.world
    house = world.campaigns[0]
    auction = (one for one in world.campaigns if one.priority is Priority.AUCTION)
    paid = next(one for one in auction if one.pricing_model is PricingModel.CPM)
    pair.begin(world.objects)
    pair.serve(pair.requests)
    before = pair.winners(pair.requests)
    assert set(before) > {house.id}
    paces = pair.edges[0].context.snapshots.current().paces.values()

    pair.change(*(replace(pace, pass_ppm=0) for pace in paces))
    assert set(pair.winners(pair.requests)) == {house.id}
    pair.fill_cache(pair.requests)

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
    assert pair.serve(pair.requests) <= 1


async def test_a_delta_of_the_property_changes_the_life_of_the_next_tokens(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    lives_s = [_token_lives_s(pair)]

    pair.change(replace(pair.world.property, token_ttl_seconds=77))
    lives_s.append(_token_lives_s(pair))

    assert lives_s == [{pair.world.property.token_ttl_seconds}, {77}]


def _token_lives_s(pair: EdgePair) -> set[int]:
    fills = [one for one in pair.fills(pair.requests) if one is not None]
    return {parse_token(one["track_token"])[0].life_s for one in fills}


async def test_a_revoked_key_is_refused_at_once(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    assert pair.serve(pair.requests) == len(pair.requests)
    (key,) = pair.edges[0].context.snapshots.current().keys_by_hash.values()

    pair.change(replace(key, revoked_at_ms=NOW_MS - 1))

    assert pair.serve(pair.requests) == 0


async def test_a_key_is_refused_from_the_moment_it_expires(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    (key,) = pair.edges[0].context.snapshots.current().keys_by_hash.values()
    pair.change(replace(key, expires_at_ms=NOW_MS + 1000))
    assert pair.serve(pair.requests) == len(pair.requests)

    pair.advance(ms=1000)
    try:
        assert pair.serve(pair.requests) == 0
    finally:
        pair.advance(ms=-1000)


async def test_dayparts_and_flights_open_and_close(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    winners = []
    try:
        for _ in range(8):
            winners.append(set(pair.winners(pair.requests[:100])))
            pair.advance(ms=3 * _HOUR_MS)
    finally:
        pair.advance(ms=-24 * _HOUR_MS)

    assert winners[0] > winners[-1] == {pair.world.campaigns[0].id}


_ALL = range(300, 301)
_NONE = range(1)
_SOME = range(1, 301)


@pytest.mark.parametrize(
    ("changes", "fills", "hits"),
    [
        ({"priority": Priority.SPONSORSHIP, "share_of_voice_percent": 2}, _SOME, _NONE),
        ({"goal": Goal(EventKind.IMPRESSION, 1)}, _ALL, _SOME),
        # Nobody's count is known without a user id, so a cap lets nothing through.
        (
            {"frequency_caps": (FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600),)},
            _NONE,
            _NONE,
        ),
        ({"bid_micros": 5_000}, _ALL, _SOME),
        ({"bid_micros": 5_000, "targeting": ""}, _ALL, _SOME),
    ],
    ids=["share of voice", "goal", "cap", "equal bids", "equal bids for everybody"],
)
async def test_goals_caps_shares_and_equal_bids_are_decided_as_on_the_slow_path(
    pair: EdgePair, changes: dict[str, object], fills: range, hits: range
) -> None:
    pair.begin(_change_campaigns(pair.world, **changes))

    assert pair.serve(pair.requests + pair.requests) in fills
    assert pair.hits(pair.requests + pair.requests) in hits


def _change_campaigns(world: World, **changes: object) -> list[SnapshotObject]:
    """Every campaign with *changes*."""
    return [
        replace(one, **changes) if isinstance(one, Campaign) else one  # type: ignore[arg-type]  # of a campaign
        for one in world.objects
    ]


async def test_weights_and_spent_budgets_are_decided_as_on_the_slow_path(pair: EdgePair) -> None:
    weights = random.Random(9)
    objects = [
        replace(one, weight=weights.randint(1, 9)) if isinstance(one, Ad) else one
        for one in pair.world.objects
    ]
    pair.begin(objects)
    campaigns = [one for one in objects if isinstance(one, Campaign)]
    for edge in pair.edges:
        edge.context.budgets = lease_all(campaigns[::2])
    unleased = {one.id for one in campaigns[1::2] if one.budget is not None}

    winners = set(pair.winners(pair.requests + pair.requests))

    assert len(winners) > 1
    assert not winners & unleased


async def test_a_request_over_the_rate_limit_is_refused_by_the_cache_too(pair: EdgePair) -> None:
    limits = RateLimits(1, 10, 1, 10)
    objects = [
        replace(one, rate_limits=limits) if one is pair.world.property else one
        for one in pair.world.objects
    ]
    pair.begin(objects)
    named = [with_header(one, b"X-Request-Id: mine-1") for one in pair.requests]

    assert 0 < pair.serve(named + named) < len(named)
    assert pair.edges[0].context.metrics.refusals


@pytest.mark.parametrize(
    ("line", "fills"),
    [
        (b"Sec-GPC: 1", 200),
        (b"DNT: 1", 200),
        (b"Accept: text/html", 0),  # neither answers: Sanic shows a page
    ],
)
async def test_a_change_of_a_client_header_changes_the_answer(
    pair: EdgePair, line: bytes, fills: int
) -> None:
    pair.begin(pair.world.objects)
    requests = [with_header(one, line) for one in pair.requests[:100]]

    assert pair.serve(requests * 2) == fills
    assert (pair.hits(requests) > 0) is (fills > 0)


@pytest.mark.parametrize(
    ("more", "fills", "is_cached"),
    [
        (b"coppa=1", 200, True),
        (b"format=banner", 200, True),
        (b"w=100&h=50", 0, False),  # no slot takes that size
        (b"gdpr=1", 200, True),
        (b"uid=a", 200, False),
    ],
)
async def test_a_change_of_a_parameter_changes_the_answer(
    pair: EdgePair, more: bytes, fills: int, *, is_cached: bool
) -> None:
    pair.begin(pair.world.objects)
    requests = [with_query(one, more) for one in pair.requests[:100]]

    assert pair.serve(requests * 2) == fills
    assert (pair.hits(requests) > 0) is is_cached


async def test_languages_of_the_query_replace_those_of_the_client(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    in_frisian = replace(
        pair.world.campaigns[1], bid_micros=9_000_000, targeting='{"languages":["fy"]}'
    )
    pair.change(in_frisian, *(Pace(in_frisian.id, pass_ppm=1_000_000),))
    requested = [with_query(one, b"lang=fy") for one in pair.requests[:30]]
    other = [with_query(one, b"lang=ja") for one in pair.requests[:30]]
    pair.serve(pair.requests[:30])

    assert set(pair.winners(requested)) == {in_frisian.id}
    assert in_frisian.id not in pair.winners(pair.requests[:30] + other)
    pair.fill_cache(requested)


@pytest.mark.parametrize(
    "kind", [one for one in TARGETING_KINDS if one.header], ids=lambda k: k.name
)
async def test_a_header_of_a_kind_is_cached_with_the_client(
    pair: EdgePair, kind: TargetingKind
) -> None:
    assert kind.header is not None
    name, sent = kind.header.name, f"{kind.header.name}: {kind.header.example}"
    known: Any = kind.header.parse(kind.header.example)
    signals = Signals(**{kind.header.signal: known})
    stored = next(
        text
        for seed in range(1_000)
        if (text := canonical_json({kind.name: Worlds(seed).stored(kind)}))
        and missed_kind(parse_targeting(text), signals, "UTC", NOW_MS) is None
        and missed_kind(parse_targeting(text), Signals(), "UTC", NOW_MS) is not None
    )
    wanted = replace(pair.world.campaigns[1], bid_micros=9_000_000, targeting=stored)
    pair.begin(pair.world.objects)
    pair.change(wanted, Pace(wanted.id, pass_ppm=1_000_000))
    without = [re.sub(rf"{name}: .*\r\n".encode(), b"", one) for one in pair.requests[:30]]
    with_it = [with_header(one, sent.encode()) for one in without]

    assert wanted.id in pair.winners(with_it)
    assert wanted.id not in pair.winners(without)
    pair.fill_cache(with_it + without)


async def test_a_new_geo_database_holds_from_the_first_call(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    there = '{"geo":{"include":[{"country":"sg"}]}}'
    wanted = replace(pair.world.campaigns[1], bid_micros=9_000_000, targeting=there)
    pair.change(wanted)
    assert wanted.id not in pair.winners(pair.requests)
    before = pair.edges[0].context.geo
    try:
        for edge in pair.edges:
            edge.context.geo = _EverybodyInSingapore()
        assert wanted.id in pair.winners(pair.requests)
    finally:
        for edge in pair.edges:
            edge.context.geo = before


class _EverybodyInSingapore:
    failures = built_s = 0
    edition = 2

    def find(self, address: str) -> GeoLocation:  # noqa: ARG002 - wherever that is
        return GeoLocation("sg", None)


async def test_the_cache_keeps_no_replaced_snapshot_alive(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    pair.serve(pair.requests)
    before = weakref.ref(pair.edges[0].context.snapshots.current())

    pair.begin(pair.world.objects)

    assert before() is None


async def test_a_worker_without_leases_shows_campaigns_that_need_no_budget(pair: EdgePair) -> None:
    free = replace(pair.world.campaigns[-1], budget=None)
    others = [one for one in pair.world.objects if getattr(one, "id", "") != free.id]
    pair.begin([*others, free, *_with_budgets(pair.world, 2 * MAX_UNKNOWN_BUDGETS)])
    for edge in pair.edges:
        edge.context.budgets = lease_all(pair.world.campaigns[:1])

    for _ in range(40):  # each call inserts a part of what the cache lacks
        assert pair.serve(pair.requests[:30]) == 30


def _with_budgets(world: World, number: int) -> Iterator[SnapshotObject]:
    """Campaigns for everybody, worth more than all others, each with a budget and an ad."""
    campaign = next(one for one in world.campaigns if one.budget is not None)
    ad = next(
        one for one in world.objects if isinstance(one, Ad) and one.campaign_id == campaign.id
    )
    for at in range(number):
        name = f"01900000-0000-7000-8000-{at:012x}"
        yield replace(campaign, id=name, targeting="", bid_micros=10**9 - at)
        yield replace(ad, id=f"01900000-0000-7000-8001-{at:012x}", campaign_id=name, targeting="")
