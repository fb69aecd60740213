"""The report page: its figures, its address, what it compares, its files."""

from selectolax.lexbor import LexborHTMLParser

from common.vocabulary import EventKind, Reason
from tests.control.ingest.world import Edge, World
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of

__all__ = ["edge", "person", "visitor", "world"]


def totals_of(page: LexborHTMLParser) -> dict[str, str]:
    """Each figure above the table, with what it is compared with behind it."""
    names = [one.text(strip=True) for one in page.css("dl.figures dt")]
    values = [one.text(separator=" ", strip=True) for one in page.css("dl.figures dd")]
    return dict(zip(names, values, strict=True))


async def test_a_new_account_is_told_that_nothing_happened(visitor: Visitor) -> None:
    page = await visitor.look("/live/reports?group_by=campaign")

    assert "Nothing happened" in text_of(page)


async def test_the_figures_of_a_week_stand_in_totals_and_in_a_row_a_day(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=70_000) for _ in range(4)],
            edge.event(campaign, kind=EventKind.CLICK),
            edge.event(campaign, reason=Reason.PREFETCH),
        ]
    )
    metrics = "impressions,clicks,ctr,invalid_impressions,spend_cents"

    page = await visitor.look(f"/live/reports?metrics={metrics}")

    assert totals_of(page) == {
        "Impressions": "4",
        "Clicks": "1",
        "Click rate": "25%",
        "Invalid impressions": "1",
        "Spend": "$0.28",
    }
    assert len(page.css("tbody tr")) == 7
