"""An account's campaigns in a real database, the results of their ads, and what is published to edges."""

import uuid
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import text

from common.snapshot.codec import parse_object
from common.snapshot.model import AdRates, ObjectType
from common.values.clock import FixedClock
from common.values.environment import Environment
from control.api.context import ControlContext
from control.delivery.rate_learning.jobs import update_predicted_rates
from control.outbox.state import get_head
from control.storage.tables.campaigns import AdRow, CampaignRow
from tests.control.delivery.snapshot_publishing.rows import a_campaign_row, an_ad_row
from tests.control.delivery.snapshot_publishing.world import World, replay

_COUNT = text(
    "insert into ad_slot_counts values (:ad, :slot, :account, :impressions, :clicks, :conversions) "
    "on conflict (ad_id, slot_id) do update set "
    "impressions = ad_slot_counts.impressions + excluded.impressions, "
    "clicks = ad_slot_counts.clicks + excluded.clicks, "
    "conversions = ad_slot_counts.conversions + excluded.conversions"
)


class Market:
    def __init__(self, control: ControlContext, world: World) -> None:
        self.control = control
        self.world = world
        self.slot_id = world.slot.id

    @classmethod
    async def make(cls, control: ControlContext) -> "Market":
        return cls(control, await World.make(control.database))

    @property
    def clock(self) -> FixedClock:
        return cast("FixedClock", self.control.clock)

    async def add_campaign(self, **columns: Any) -> CampaignRow:
        """Runs for a year."""
        end = self.world.campaign.end_at
        row = a_campaign_row(
            self.world.account,
            property_ids=[self.world.property.id],
            end_at=None if end is None else end + timedelta(days=365),
            **columns,
        )
        await self.world.save(row)
        return row

    async def add_ad(self, campaign: CampaignRow | None = None, **columns: Any) -> AdRow:
        row = an_ad_row(campaign or await self.add_campaign(), **columns)
        await self.world.save(row)
        return row

    async def show(
        self,
        ad: AdRow,
        impressions: int,
        clicks: int = 0,
        conversions: int = 0,
        *,
        slot_id: str | None = None,
    ) -> None:
        """Valid events that ingest has counted."""
        counted = {
            "ad": uuid.UUID(ad.id),
            "slot": uuid.UUID(slot_id or self.slot_id),
            "account": ad.account_id,
            "impressions": impressions,
            "clicks": clicks,
            "conversions": conversions,
        }
        async with self.control.database.service() as session:
            await session.execute(_COUNT, counted)

    async def update_rates(self) -> int:
        """How many versions it made for the edges."""
        before = await self.version()
        await update_predicted_rates(self.control)
        return await self.version() - before

    async def version(self) -> int:
        async with self.control.database.service() as session:
            return (await get_head(session)).version

    async def published(self, environment: Environment = Environment.TEST) -> dict[str, AdRates]:
        """What edges of *environment* have after all steps, by ad."""
        state = await replay(self.control.database, environment)
        return {
            name: cast("AdRates", parse_object(ObjectType.RATES, body))
            for (kind, name), body in state.items()
            if kind == ObjectType.RATES
        }
