"""
What people do with the ads of a simulated history, as records of an edge: views, viewability, playback, clicks, orders.

The rates are invented, in the range that small publishers see. A share of the traffic is robots, with the verdict that
an edge would give them. Clicks sooner than a person can act get theirs from ingest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from random import Random
from uuid import UUID

from common.decision.rules.outcome import Fill
from common.ivt.judge import JUDGE_VERSION
from common.tracking.event import CounterRecord, EventRecord, RequestFacts
from common.values.enums import (
    EventKind,
    Format,
    Objective,
    QualitySignal,
    Reason,
    Source,
    Surface,
)
from control.operations.simulator.traffic import Arrival

_ROBOTS = 0.04
_ROBOT_REASONS = {
    Reason.BOT_USER_AGENT: 45,
    Reason.DATACENTER_IP: 35,
    Reason.PREFETCH: 12,
    Reason.ORIGIN_MISMATCH: 8,
}
_ROBOT_CLICKS = 0.02
_HASTY_CLICKS = 0.05
"""Clicks within a quarter of a second, by scripts."""
_CLICKS = {
    Format.BANNER: 0.006,
    Format.NATIVE: 0.011,
    Format.HTML: 0.005,
    Format.VIDEO: 0.012,
    Format.EMAIL: 0.025,
    Format.AUDIO: 0.002,
}
_VIEWABLE = 0.6
"""Share of impressions of banners, native and html ads that become viewable."""
_SEEN = frozenset({Format.BANNER, Format.NATIVE, Format.HTML})
_PLAYED = {
    Format.VIDEO: (0.9, 0.75, 0.62, 0.52, 0.46),
    Format.AUDIO: (0.97, 0.92, 0.88, 0.85, 0.83),
}
"""Share of impressions that reach each of `_PLAYBACK`."""
_PLAYBACK = (
    QualitySignal.START,
    QualitySignal.FIRST_QUARTILE,
    QualitySignal.MIDPOINT,
    QualitySignal.THIRD_QUARTILE,
    QualitySignal.COMPLETE,
)
_QUARTER_MS = 1_250
_ORDERS = {Objective.CONVERSIONS: 0.25, Objective.TRAFFIC: 0.1}
"""Share of a campaign's clicks that lead to an order."""
_ORDER_CENTS = 900, 9_000
_ORDER_WITHIN_MS = 480_000
"""Within the life of a web token."""
_BROWSERS = {
    "Chrome": ("129", 60),
    "Safari": ("18", 25),
    "Firefox": ("131", 10),
    "Edge": ("129", 5),
}
_FAMILIES = tuple(_BROWSERS)
_FAMILY_SHARES = tuple(accumulate(share for _, share in _BROWSERS.values()))
_NETWORKS = 200
_PEOPLE = 6_000

Timed = tuple[int, EventRecord | CounterRecord]
"""When it happened, in epoch ms, and what."""


_uuid = lru_cache(maxsize=4_096)(UUID)
"""There are few properties, slots, ads and campaigns."""


@dataclass(slots=True)
class Audience:
    """*rng*: decides everything. *shown*: share of fills whose ad is shown."""

    rng: Random
    shown: float
    orders: int = 0

    def react(self, arrival: Arrival, fill: Fill) -> list[Timed]:
        """Returns the events of one served ad; none where it was not shown."""
        rng = self.rng
        if rng.random() >= self.shown:
            return []
        is_robot = rng.random() < _ROBOTS
        impression = self._impression(arrival, fill, is_robot=is_robot)
        found = [impression]
        if not is_robot:
            found += self._signals(impression)
        click = self._click(impression, is_robot=is_robot)
        if click is not None:
            found.append(click)
            found += self._order(click, fill, arrival.caller.property.currency)
        return [(one.at_ms, one) for one in found]

    def _impression(self, arrival: Arrival, fill: Fill, *, is_robot: bool) -> EventRecord:
        rng, caller, ad = self.rng, arrival.caller, fill.ad
        surface = caller.surface_of(ad.format)
        device = caller.signals.device
        reason = Reason.OK_CONSENT_LIMITED if caller.consent_limited else Reason.OK
        if is_robot:
            reason = rng.choices(list(_ROBOT_REASONS), list(_ROBOT_REASONS.values()))[0]
        return EventRecord(
            kind=EventKind.IMPRESSION,
            token_id=UUID(int=rng.getrandbits(128), version=4),
            issued_ms=arrival.at_ms,
            at_ms=arrival.at_ms + 150 + round(rng.expovariate(1 / 1_200)),
            property_id=_uuid(caller.property.id),
            slot_id=_uuid(caller.slot.id),
            ad_id=_uuid(ad.id),
            campaign_id=_uuid(fill.campaign.id),
            is_test=False,
            consent_limited=caller.consent_limited,
            preview=False,
            source=fill.source,
            surface=surface,
            format=ad.format,
            pricing_model=fill.campaign.pricing_model,
            price_micros=0 if fill.source is Source.HOUSE else fill.price_micros,
            snapshot_version=1,
            facts=self._facts(caller.property.domain, surface),
            reason=reason,
            judge_version=JUDGE_VERSION,
            value_cents=None,
            currency=None,
            order_id=None,
            country=caller.signals.country,
            device=None if device is None else device.value,
        )

    def _facts(self, domain: str | None, surface: Surface) -> RequestFacts:
        """Addresses are those reserved for documentation and benchmarks (RFC 5737, RFC 2544)."""
        rng = self.rng
        family = rng.choices(_FAMILIES, cum_weights=_FAMILY_SHARES)[0]
        is_web = surface is Surface.WEB and domain is not None
        return RequestFacts(
            f"198.18.{rng.randrange(_NETWORKS)}.0/24",
            family,
            _BROWSERS[family][0],
            None,
            f"https://{domain}" if is_web else None,
            None if surface is Surface.EMAIL else f"{rng.randrange(_PEOPLE):016x}",
            prefetch=False,
        )

    def _signals(self, impression: EventRecord) -> Iterator[EventRecord]:
        rng, ad_format = self.rng, impression.format
        if ad_format in _SEEN and rng.random() < _VIEWABLE:
            after_ms = 1_000 + round(rng.expovariate(1 / 800))
            yield replace(
                impression, kind=QualitySignal.VIEWABLE, at_ms=impression.at_ms + after_ms
            )
        reached = rng.random()
        shares = _PLAYED.get(ad_format, ())
        for place, (kind, share) in enumerate(zip(_PLAYBACK, shares, strict=False)):
            if reached < share:
                at_ms = impression.at_ms + 300 + place * _QUARTER_MS
                yield replace(impression, kind=kind, at_ms=at_ms)

    def _click(self, impression: EventRecord, *, is_robot: bool) -> EventRecord | None:
        rng = self.rng
        rate = _ROBOT_CLICKS if is_robot else _CLICKS[impression.format]
        if rng.random() >= rate:
            return None
        after_ms = 1_500 + round(rng.expovariate(1 / 6_000))
        at_ms = impression.at_ms + after_ms
        if not is_robot and rng.random() < _HASTY_CLICKS:
            at_ms = impression.issued_ms + 240
        return replace(impression, kind=EventKind.CLICK, at_ms=at_ms)

    def _order(self, click: EventRecord, fill: Fill, currency: str) -> Iterator[EventRecord]:
        rng = self.rng
        rate = _ORDERS.get(fill.campaign.objective, 0.0)
        if not click.reason.valid or rng.random() >= rate:
            return
        self.orders += 1
        yield replace(
            click,
            kind=EventKind.CONVERSION,
            at_ms=click.at_ms + rng.randrange(20_000, _ORDER_WITHIN_MS),
            value_cents=rng.randrange(*_ORDER_CENTS),
            currency=currency,
            order_id=f"order-{self.orders:05}",
        )
