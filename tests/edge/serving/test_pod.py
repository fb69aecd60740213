"""The ads of one break: which, how many, in which order, and what they commit."""

from dataclasses import replace

from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Budget, FrequencyCap
from common.values.enums import CampaignStatus, EventKind, Format, Priority
from tests.edge.endpoints.players import a_player, a_video, an_advertiser
from tests.support.builders import a_campaign, a_slot
from tests.support.leases import grant_lease

POD = "slot=pre-roll&output=vast&pod=3"


async def test_a_pod_shows_each_advertiser_once_and_numbers_its_ads() -> None:
    campaign = a_campaign(bid_cents=900)
    twins = [a_video(campaign, advertiser_domain=None, click_url=None, name="twin") for _ in "ab"]
    async with a_player(
        campaign, *twins, *an_advertiser("b", bid_cents=200), *an_advertiser("b", bid_cents=100)
    ) as player:
        root = await player.load(POD)
        counted = player.edge.counted()

    assert [title.text for title in root.iter("AdTitle")] == ["twin", "b"]
    assert [ad.get("sequence") for ad in root] == ["1", "2"]
    assert counted == {"fill": 2}


async def test_a_house_ad_of_an_advertiser_whom_the_pod_has_shown_is_left_out() -> None:
    rival = an_advertiser("a", priority=Priority.HOUSE)
    other = an_advertiser("b", priority=Priority.HOUSE)
    slots = [
        a_slot(key=key, formats=(Format.VIDEO,), house_ad_id=house.id)
        for key, house in (("same", rival[1]), ("other", other[1]))
    ]
    paid = an_advertiser("a", bid_cents=900)
    paused = [replace(one, status=CampaignStatus.PAUSED) for one in (rival[0], other[0])]
    async with a_player(*paid, *paused, rival[1], other[1], slots=slots) as player:
        titles = [await player.titles(f"slot={key}&output=vast&pod=3") for key in ("same", "other")]
        counted = player.edge.counted()

    assert titles == [["a"], ["a", "b"]]
    assert counted == {"fill": 3}


async def test_the_ads_of_a_pod_fit_its_time_together() -> None:
    ads = (
        *an_advertiser("long", 31_000, 900),
        *an_advertiser("a", 20_000, 500),
        *an_advertiser("b", 20_000, 400),
        *an_advertiser("c", 8_000, 100),
    )
    async with a_player(*ads) as player:
        titles = await player.titles(f"{POD}&max_duration_ms=30000")

    assert titles == ["a", "c"]


async def test_an_ad_that_fills_the_break_comes_first() -> None:
    ads = (*an_advertiser("short", 15_000, 900), *an_advertiser("exact", 29_900, 100))
    async with a_player(*ads) as player:
        titles = await player.titles(f"{POD}&max_duration_ms=30000")
        plain = await player.titles(POD)

    assert (titles, plain) == (["exact"], ["short", "exact"])


async def test_a_sponsor_comes_before_an_auction_ad_that_fills_the_break() -> None:
    sponsor = an_advertiser("sponsor", 10_000, 1, priority=Priority.SPONSORSHIP)
    async with a_player(*sponsor, *an_advertiser("exact", 30_000, 900)) as player:
        titles = await player.titles(f"{POD}&max_duration_ms=30000")

    assert titles == ["sponsor"]


async def test_a_slot_may_separate_categories() -> None:
    ads = (
        *an_advertiser("car", bid_cents=900, categories=("IAB2-1",)),
        *an_advertiser("other car", bid_cents=800, categories=("IAB2-7", "IAB1")),
        *an_advertiser("shoes", bid_cents=100, categories=("IAB18",)),
    )
    apart = a_slot(key="apart", formats=(Format.VIDEO,), separate_categories=True)
    mixed = a_slot(key="mixed", formats=(Format.VIDEO,))
    async with a_player(*ads, slots=(apart, mixed)) as player:
        titles = [
            await player.titles(f"slot={key}&output=vast&pod=3") for key in ("apart", "mixed")
        ]

    assert titles == [["car", "shoes"], ["car", "other car", "shoes"]]


async def test_a_cap_holds_in_a_pod_and_every_ad_commits_its_price_once() -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600)
    capped = an_advertiser("capped", bid_cents=900, frequency_caps=(cap,))
    async with a_player(*capped, *an_advertiser("a", bid_cents=100)) as player:
        query = f"{POD}&uid=device&gdpr=0"
        first, again = await player.titles(query), await player.titles(query)
        limited = await player.titles(f"{POD}&uid=other&gdpr=0&lmt=1")
        kinds = [await player.titles(f"{query}&ifa_type={kind}") for kind in ("rida", "RIDA")]
        zeros = await player.titles(f"{POD}&uid=00000000-0000&gdpr=0&ifa_type=idfa")

    assert (first, again, limited) == (["capped", "a"], ["a"], ["a"])
    assert kinds == [["capped", "a"], ["a"]]
    assert zeros == ["a"]


async def test_a_budget_for_one_more_ad_buys_one() -> None:
    budget = Budget(total_micros=None, daily_micros=1_000_000)
    campaign, ad = an_advertiser("rich", bid_cents=100, budget=budget)
    async with a_player(campaign, ad) as player:
        budgets = player.edge.context.budgets
        assert isinstance(budgets, LeasedBudgets)
        grant_lease(budgets, campaign, 1_500)
        titles = [await player.titles(f"{POD}&empty=vast") for _ in range(3)]

    assert titles == [["rich"], [], []]
