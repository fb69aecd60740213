"""A world with clicks in it, reported conversions, and the job that attributes them."""

import uuid
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from common.tracking.event import ConversionRecord, EventRecord, LogRecord
from common.values.clock import FixedClock
from common.values.enums import ConversionChannel, EventKind, PricingModel, Reason
from common.values.ids import new_id, new_id_at
from control.api.context import ControlContext
from control.events.attribution.jobs import attribute_conversions, attribute_some
from tests.control.events.ingest.world import FACTS, Edge, World, an_event
from tests.support.waiting_jobs import work_waits

PRICE_MICROS = 2_000_000
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


@dataclass
class Scene:
    control: ControlContext
    world: World
    edge: Edge

    @property
    def clock(self) -> FixedClock:
        return self.world.clock

    def later(self, *, ms: int) -> None:
        self.clock.advance(ms=ms)

    def click(self, campaign_id: str | None = None, **changes: Any) -> EventRecord:
        """A valid click of a CPA campaign, a second ago, not stored yet."""
        usual: dict[str, Any] = {
            "kind": EventKind.CLICK,
            "pricing_model": PricingModel.CPA,
            "price_micros": PRICE_MICROS,
        }
        if "at_ms" in changes:
            usual["issued_ms"] = changes["at_ms"] - 5_000
        issued_ms = changes.get("issued_ms", usual.get("issued_ms", self.clock.now_ms() - 2_000))
        usual["token_id"] = uuid.UUID(bytes=new_id_at(issued_ms).bytes)
        return an_event(self.world, campaign_id, **usual | changes)

    def reported(self, click: EventRecord | None = None, **changes: Any) -> ConversionRecord:
        """Of now, by the server's key, about *click*."""
        now_ms = self.clock.now_ms()
        record = ConversionRecord(
            conversion_id=uuid.UUID(new_id()),
            door=ConversionChannel.SECRET_KEY,
            at_ms=now_ms,
            occurred_ms=now_ms,
            is_test=False if click is None else click.is_test,
            property_id=uuid.UUID(self.world.property_id),
            click_id=None if click is None else click.token_id,
            person=None,
            event_name="purchase",
            value_cents=4990,
            currency="EUR",
            order_id=None,
            facts=FACTS,
            reason=Reason.OK,
            judge_version=1,
        )
        return replace(record, **changes)

    def shown(self, click: EventRecord, **changes: Any) -> ConversionRecord:
        """The same by a pixel."""
        return self.reported(
            click, **{"door": ConversionChannel.PIXEL, "property_id": None, **changes}
        )

    async def store(self, *bodies: EventRecord | ConversionRecord, partition: int = 0) -> None:
        await self.redeliver([self.edge.wrap(body) for body in bodies], partition=partition)

    async def redeliver(self, records: list[LogRecord], *, partition: int = 0) -> None:
        await self.world.ingest(records, partition=partition)

    async def pass_watermark(self) -> None:
        """Everything up to now is stored, says the one edge there is."""
        await self.world.ingest([self.edge.counter([])], partition=0)

    async def attribute(self) -> None:
        """Run the job, which the scheduler starts if it has work. Nothing else may run meanwhile."""
        waiting = await work_waits(self.control, attribute_conversions)
        assert waiting or not await attribute_some(self.control)
        await attribute_conversions(self.control)

    async def conversions(self) -> list[Any]:
        """Events of the feed."""
        return [row for row in await self.world.events() if row.kind == EventKind.CONVERSION]

    async def states(self) -> dict[str, int]:
        rows = await self.world.rows("select state from conversions")
        return dict(Counter(row[0] for row in rows))
