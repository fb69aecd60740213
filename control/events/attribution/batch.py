"""A batch of due conversions: decides each one, and collects the resulting events and states."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from common.tracking.attribution import Attributed, Terms
from common.tracking.event import MAX_INVALID
from common.values.clock import from_ms
from common.values.enums import PIXEL_CHANNELS, Attribution, Reason
from control.events.attribution.attribution_decision import Retry, decide
from control.events.attribution.event import event_of
from control.events.attribution.pending_conversions import (
    ByPixel,
    PendingConversion,
    Pixels,
    Settled,
    State,
)
from control.events.attribution.touches import FoundTouches, TouchRow, touch_of
from control.events.ingest.keys import Order, order_of
from control.events.ingest.parsed_records import ConversionEvent

MAX_BY_PIXEL = 10
"""Valid conversions by pixel of one click, whatever their event names: anybody with the address can invent names."""


class Batch:
    """The state of one batch; ``settled`` and ``events`` fill up as conversions are decided."""

    def __init__(self, found: FoundTouches, through: dict[bool, int | None]) -> None:
        self.found = found
        self.through = through
        self.settled: dict[UUID, Settled] = {}
        self.events: list[ConversionEvent] = []
        self.accounts: dict[str, str] = {}
        self.by_pixel: dict[Pixels, ByPixel] = {}
        self.orders: dict[Order, bool] = {}
        """Those of pixels that were converted before, and those that the batch converts: whether authenticated."""

    def orders_by_pixel(self, held: Sequence[PendingConversion]) -> list[Order]:
        """The orders that the pixels among *held* may convert."""
        return [
            (str(touch.property_id), "test" if one.is_test else "live", one.order_id)
            for one in held
            if one.door in PIXEL_CHANNELS and one.order_id is not None
            for touch in self.found.clicks[one.id]
        ]

    def decide(self, one: PendingConversion, now_ms: int) -> None:
        """Of two conversions that cannot both count, the one decided first counts."""
        clicks, views = self.found.clicks[one.id], self.found.views[one.id]
        decision = decide(
            one,
            clicks=[touch_of(row) for row in clicks],
            views=[touch_of(row) for row in views],
            terms=self.found.terms,
            through_ms=self.through[one.is_test],
            now_ms=now_ms,
        )
        if isinstance(decision, Attributed):
            rows = clicks if decision.attribution is Attribution.CLICK_THROUGH else views
            touch = next(row for row in rows if row.token_id == decision.touch.token_id)
            self._attribute(one, touch, decision.attribution)
        elif isinstance(decision, Retry):
            self._settle(one, State.HELD, try_at=from_ms(decision.until_ms))
        else:
            self._settle(one, State.UNATTRIBUTED)

    def _attribute(self, one: PendingConversion, touch: TouchRow, attribution: Attribution) -> None:
        one.account_id, one.property_id = touch.account_id, touch.property_id
        if one.door in PIXEL_CHANNELS and not self._has_room(one, touch):
            self._settle(one, State.SURPLUS)
            return
        event = event_of(one, touch, attribution, one.reason)
        order = order_of(event)
        if one.door in PIXEL_CHANNELS and order is not None and self._is_repeated(event, order):
            self._settle(one, State.REPEATED)
            return
        if order is not None:
            self.orders[order] = event.is_authenticated or self.orders.get(order, False)
        if one.door in PIXEL_CHANNELS and event.valid:
            self._of_click(one).valid[one.event_name.lower()] += 1
        self.accounts[str(touch.property_id)] = touch.account_id
        self.events.append(event)
        self._settle(one, State.ATTRIBUTED, attribution)

    def drop_repeated(self, kept: Sequence[object]) -> None:
        """Drops the events whose order was converted before."""
        ids = {id(one) for one in kept}
        for event in [one for one in self.events if id(one) not in ids]:
            self.events.remove(event)
            settled = self.settled[UUID(bytes=event.id)]
            self.settled[settled.id] = Settled(
                settled.id, State.REPEATED, settled.account_id, settled.property_id, settled.reason
            )

    def _is_repeated(self, event: ConversionEvent, order: Order) -> bool:
        """An authenticated report repeats only another authenticated one."""
        return order in self.orders and (self.orders[order] or not event.is_authenticated)

    def _settle(
        self,
        one: PendingConversion,
        state: State,
        attribution: Attribution | None = None,
        try_at: datetime | None = None,
    ) -> None:
        self.settled[one.id] = Settled(
            one.id, state, one.account_id, one.property_id, one.reason, attribution, try_at
        )

    def _has_room(self, one: PendingConversion, touch: TouchRow) -> bool:
        """
        Whether *one* is kept: every valid one, and some invalid ones, which are counted here.

        Valid ones beyond the limit become invalid, with `rate_exceeded`.
        """
        terms = self.found.terms.get(str(touch.campaign_id), Terms())
        of_click = self._of_click(one)
        event_name = one.event_name.lower()
        if one.reason.valid and (
            of_click.valid[event_name] >= terms.pixel_conversions_per_click
            or of_click.valid.total() >= MAX_BY_PIXEL
        ):
            one.reason = Reason.RATE_EXCEEDED
            if one.live_reason is not None and one.live_reason.valid:
                one.live_reason = Reason.RATE_EXCEEDED
        if one.reason.valid:
            return True
        of_click.invalid += 1
        return of_click.invalid <= MAX_INVALID

    def _of_click(self, one: PendingConversion) -> ByPixel:
        return self.by_pixel.setdefault((one.click_id or one.id, one.door), ByPixel())
