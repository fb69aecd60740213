"""Deciding and explaining agree with an evaluator written like the specification: naive, slow, obvious."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.rules.gates import Gates
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill, NoFill
from common.snapshot.model import Ad, Campaign, Size
from common.snapshot.snapshot import Snapshot
from common.values.enums import AdStatus, CampaignStatus, Format, PricingModel, Priority
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_property,
    a_slot,
    a_snapshot,
    an_ad,
    an_opportunity,
)

INSTANTS = st.sampled_from([None, NOW_MS - 1, NOW_MS, NOW_MS + 1])
FORMATS = st.sampled_from([Format.BANNER, Format.HTML, Format.NATIVE])
LADDER = ["sponsorship", "standard", "auction", "house"]

CAMPAIGNS = st.fixed_dictionaries(
    {
        "status": st.sampled_from([CampaignStatus.ACTIVE] * 4 + [CampaignStatus.PAUSED]),
        "priority": st.sampled_from(Priority),
        "pricing_model": st.sampled_from([PricingModel.CPM, PricingModel.CPC, PricingModel.CPA]),
        "bid_cents": st.sampled_from([1, 100, 100, 500]),
        "start_at_ms": INSTANTS,
        "end_at_ms": INSTANTS,
        "requires": st.sampled_from([(), (), (), ("something_later",)]),
        "spent": st.sampled_from([False, False, False, True]),
    }
)
ADS = st.fixed_dictionaries(
    {
        "format": FORMATS,
        "width": st.sampled_from([None, 300, 728]),
        "height": st.sampled_from([None, 250, 90]),
        "categories": st.sampled_from([(), ("7-3",), ("9",)]),
        "advertiser_domain": st.sampled_from([None, "brand.example", "shop.brand.example"]),
        "click_url": st.sampled_from(
            [
                None,
                "https://www.shop.example:8443/?a=b/c",
                "https://shop.example/",
                "https://other.example/",
            ]
        ),
        "weight": st.integers(1, 100),
        "slot_ids": st.sampled_from([(), (), ("other",)]),
        "status": st.sampled_from([AdStatus.ACTIVE] * 3 + [AdStatus.DRAFT]),
    }
)
SLOTS = st.fixed_dictionaries(
    {
        "formats": st.lists(FORMATS, min_size=1, unique=True).map(tuple),
        "sizes": st.sampled_from([(), (), (Size(300, 250),), (Size(728, 90), Size(300, 250))]),
        "floor_micros": st.sampled_from([0, 0, 1_000_000, 3_000_000]),
        "blocked_advertiser_domains": st.sampled_from(
            [(), ("brand.example",), ("www.shop.example",)]
        ),
        "blocked_categories": st.sampled_from([(), (), ("7",)]),
    }
)
ASKED = st.fixed_dictionaries(
    {
        "format": st.one_of(st.none(), FORMATS),
        "width": st.sampled_from([None, None, 300, 1000]),
        "height": st.sampled_from([None, None, 100, 1000]),
    }
)
WORLDS = st.lists(st.tuples(CAMPAIGNS, st.lists(ADS, max_size=3)), max_size=6)


def _world(
    worlds: list[tuple[dict[str, Any], list[dict[str, Any]]]],
    slot_changes: dict[str, Any],
    requested: dict[str, Any],
) -> tuple[Snapshot, Opportunity]:
    slot = a_slot(**slot_changes)
    objects: list[Any] = [slot, a_property()]
    for changes, ads in worlds:
        campaign = a_campaign(**changes)
        objects.append(campaign)
        objects += [an_ad(campaign, **ad) for ad in ads]
    return a_snapshot(*objects), an_opportunity(slot, **requested)


def _may_serve(o: Opportunity, gates: Gates, campaign: Campaign, ad: Ad) -> bool:
    slot = o.slot
    sized = ad.width is not None and ad.height is not None
    sizes = [(s.width, s.height) for s in slot.sizes]
    host = "" if ad.click_url is None else ad.click_url.split("/")[2].split(":")[0]
    advertisers = (host, ad.advertiser_domain or "")
    return all(
        (
            campaign.status == "active",
            ad.status == "active",
            not campaign.requires,
            not campaign.spent,
            campaign.start_at_ms is None or campaign.start_at_ms <= NOW_MS,
            campaign.end_at_ms is None or campaign.end_at_ms > NOW_MS,
            ad.slot_ids == () or slot.id in ad.slot_ids,
            ad.format in slot.formats,
            o.format is None or o.format == ad.format,
            not sized or not sizes or (ad.width, ad.height) in sizes,
            o.width is None or ad.width is None or ad.width <= o.width,
            o.height is None or ad.height is None or ad.height <= o.height,
            not any(
                f".{name}".endswith(f".{blocked}")
                for blocked in slot.blocked_advertiser_domains
                for name in advertisers
            ),
            not any(
                (c + "-").startswith(b + "-")
                for c in ad.categories
                for b in slot.blocked_categories
            ),
            campaign.priority != "auction" or _ecpm(campaign, ad) >= slot.floor_micros,
            not gates.spool_full or campaign.priority == "house",
        )
    )


def _ecpm(campaign: Campaign, ad: Ad) -> int:
    clicks_per_million = 2000 if ad.format == "native" else 1000
    match campaign.pricing_model:
        case "cpm":
            return campaign.bid_micros * 1000
        case "cpc":
            return campaign.bid_micros * clicks_per_million // 1000
        case _:
            return campaign.bid_micros * (clicks_per_million // 100) // 1000


def _best(snapshot: Snapshot, o: Opportunity, gates: Gates) -> list[Ad]:
    """The ads among which chance decides."""
    pairs = [(snapshot.campaigns[ad.campaign_id], ad) for ad in snapshot.ads.values()]
    state = [(c, a) for c, a in pairs if _may_serve(o, gates, c, a)]
    if not state:
        return []
    merit = {a.id: (-LADDER.index(c.priority), _ecpm(c, a)) for c, a in state}
    return [a for _, a in state if merit[a.id] == max(merit.values())]


@settings(max_examples=300, deadline=None)
@given(WORLDS, SLOTS, ASKED, st.integers(0, 2**64 - 1), st.builds(Gates, spool_full=st.booleans()))
def test_the_chosen_ad_is_among_the_best_the_specification_allows(
    worlds: Any, slot: Any, requested: Any, seed: int, gates: Gates
) -> None:
    snapshot, opportunity = _world(worlds, slot, requested)
    best = _best(snapshot, opportunity, gates)
    decision = decide(snapshot, opportunity, gates, NOW_MS, seed)
    if isinstance(decision, Fill):
        assert decision.ad in best
        assert decision.price_micros == decision.campaign.bid_micros
    else:
        assert best == []


@settings(max_examples=150, deadline=None)
@given(WORLDS, SLOTS, ASKED)
def test_every_one_of_the_best_is_reachable_by_some_seed(
    worlds: Any, slot: Any, requested: Any
) -> None:
    snapshot, opportunity = _world(worlds, slot, requested)
    best = _best(snapshot, opportunity, Gates())
    seeds = range(sum(ad.weight for ad in best))
    reached = [decide(snapshot, opportunity, Gates(), NOW_MS, seed) for seed in seeds]
    counts: dict[str, int] = {}
    for decision in reached:
        assert isinstance(decision, Fill)
        counts[decision.ad.id] = counts.get(decision.ad.id, 0) + 1
    assert counts == {ad.id: ad.weight for ad in best}


@settings(max_examples=300, deadline=None)
@given(WORLDS, SLOTS, ASKED, st.integers(0, 2**64 - 1))
def test_an_explanation_agrees_with_the_decision(
    worlds: Any, slot: Any, requested: Any, seed: int
) -> None:
    snapshot, opportunity = _world(worlds, slot, requested)
    explanation = explain(snapshot, opportunity, Gates(), NOW_MS, seed)
    assert explanation.decision == decide(snapshot, opportunity, Gates(), NOW_MS, seed)
    for line in explanation.considered:
        campaign, ad = snapshot.campaigns[line.campaign_id], snapshot.ads[line.ad_id]
        allowed = _may_serve(opportunity, Gates(), campaign, ad)
        assert (line.dropped_by is None) == allowed
    assert len(explanation.considered) == len(snapshot.ads)
    if isinstance(explanation.decision, NoFill) and explanation.considered:
        assert explanation.decision.reason in {c.dropped_by for c in explanation.considered}
