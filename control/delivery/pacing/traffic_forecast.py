"""Traffic of campaigns: the curve of the slots that they reach, and about how much one fill commits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.decision.rules.hierarchical_rates import prior_rates
from common.decision.rules.targeting import Targeting, names_slot, parse_targeting
from common.pacing.curve import UNIFORM, Curve, in_dayparts, summed
from common.service.cooperative import TimeSlice
from common.snapshot.codec import canonical_json, parse_object
from common.snapshot.model import AdRates, ObjectType, Rate
from common.values.clock import to_ms
from common.values.enums import Format, PricingModel
from control.delivery.pacing.price import Price
from control.delivery.pacing.slot_match import AdShape, SlotShape, slots_reached
from control.outbox.objects import price_micros

_CAMPAIGNS = text("""
select c.id, c.property_ids, c.timezone, c.targeting, c.pricing_model, c.bid_cents,
    (select jsonb_agg(distinct jsonb_build_array(a.format, a.content -> 'width', a.content -> 'height', a.slot_ids))
        from ads a where a.campaign_id = c.id and a.status = 'active'),
    case when c.pricing_model in ('cpc', 'cpa')
        or c.goal ->> 'kind' in ('clicks', 'conversions') then (select array_agg(r.body) from ads a join ad_rates r
        on r.ad_id = a.id where a.campaign_id = c.id and a.status = 'active') end, c.goal ->> 'kind'
from campaigns c where c.id = any(:ids)
""")
_SLOTS = text(
    "select property_id, id, formats, sizes from slots "
    "where status = 'active' and property_id = any(:properties) order by id"
)
_WEEKS = text("select slot_id, weights from slot_weeks where slot_id = any(:slots)")


@dataclass(frozen=True, slots=True)
class TrafficForecast:
    """
    ``unit_micros``: commit of a fill of the most expensive ad. ``goal_micros``: what fills commit for one expected
    event of the goal, at least 1; 0 without a goal.
    """

    curve: Curve
    unit_micros: int
    goal_micros: int = 0


async def read_forecasts(
    session: AsyncSession, campaign_ids: Sequence[str], now: datetime
) -> dict[str, TrafficForecast]:
    """Returns forecasts of the existing campaigns. Campaigns with the same reach share one curve object."""
    rows = (await session.execute(_CAMPAIGNS, {"ids": list(campaign_ids)})).all()
    properties = sorted({name for row in rows for name in row[1]})
    slots = await _slots_of(session, properties)
    reach = _Reach(slots)
    slices, reached = TimeSlice(), {}
    for row in rows:
        reached[row[0]] = reach.of(row[1], row[6] or (), targeting_of(row[3]))
        await slices.checkpoint()
    curves = Curves(await read_weeks(session, set().union(*reached.values())), to_ms(now))
    found = {}
    for campaign_id, _, timezone, targeting, model, bid_cents, ads, rates, goal in rows:
        curve = curves.get(reached[campaign_id], timezone, targeting_of(targeting))
        price = Price(PricingModel(model), price_micros(PricingModel(model), bid_cents))
        pairs = [pair for body in rates or [] for pair in _rates_in(body)]
        pairs = pairs or [prior_rates(Format(ad[0])) for ad in ads or []]
        found[campaign_id] = TrafficForecast(
            curve, price.unit_micros(pairs), price.goal_micros(goal, pairs)
        )
        await slices.checkpoint()
    return found


async def read_weeks(session: AsyncSession, slot_ids: Iterable[str]) -> dict[str, list[int]]:
    """Returns the weeks of slots that have requests."""
    rows = await session.execute(_WEEKS, {"slots": sorted(slot_ids)})
    return {row[0]: row[1] for row in rows}


class Curves:
    """Builds curves, each once. *weeks*: by slot."""

    def __init__(self, weeks: Mapping[str, Sequence[int]], now_ms: int) -> None:
        self._weeks = weeks
        self._now_ms = now_ms
        self._made: dict[Any, Curve] = {}

    def get(self, slot_ids: Sequence[str], timezone: str, targeting: Targeting) -> Curve:
        """Returns the curve of *slot_ids* during the campaign's dayparts; uniform while no requests were counted."""
        windows = targeting.windows
        key = (tuple(slot_ids), windows, timezone if windows else "")
        curve = self._made.get(key)
        if curve is None:
            curve = self._made[key] = self._make(slot_ids, timezone, targeting)
        return curve

    def _make(self, slot_ids: Sequence[str], timezone: str, targeting: Targeting) -> Curve:
        weights = summed([self._weeks[name] for name in slot_ids if name in self._weeks])
        if targeting.windows:
            return Curve(in_dayparts(weights, timezone, targeting.windows, self._now_ms))
        return Curve(weights) if any(weights) else UNIFORM


def reachable_slots(
    ads: Sequence[AdShape], slots: Sequence[SlotShape], targeting: Targeting
) -> tuple[str, ...]:
    """Returns the slots in which some ad may show, by placement alone."""
    return tuple(name for name in slots_reached(ads, slots) if names_slot(targeting, name))


def targeting_of(stored: dict[str, Any]) -> Targeting:
    return parse_targeting(canonical_json(stored) if stored else "")


async def _slots_of(
    session: AsyncSession, properties: Sequence[str]
) -> dict[str, tuple[SlotShape, ...]]:
    found: dict[str, list[SlotShape]] = defaultdict(list)
    for property_id, slot_id, formats, sizes in await session.execute(
        _SLOTS, {"properties": list(properties)}
    ):
        shapes = tuple((size["width"], size["height"]) for size in sizes)
        found[property_id].append(SlotShape(slot_id, tuple(formats), shapes))
    return {name: tuple(slots) for name, slots in found.items()}


class _Reach:
    """Reach of campaigns, computed once for equal inputs. *slots*: by property."""

    def __init__(self, slots: Mapping[str, tuple[SlotShape, ...]]) -> None:
        self._slots = slots
        self._known: dict[Any, tuple[str, ...]] = {}

    def of(
        self, properties: Sequence[str], ads: Sequence[Any], targeting: Targeting
    ) -> tuple[str, ...]:
        """*ads*: format, width, height and slot ids of each. Returns the ids of the slots."""
        shapes = tuple(
            AdShape(ad_format, (width, height) if width and height else None, tuple(slot_ids))
            for ad_format, width, height, slot_ids in ads
        )
        key = (tuple(properties), shapes, targeting.slots, targeting.not_slots)
        found = self._known.get(key)
        if found is None:
            places = [slot for name in properties for slot in self._slots.get(name, ())]
            found = self._known[key] = reachable_slots(shapes, places, targeting)
        return found


def _rates_in(body: bytes) -> list[tuple[Rate, Rate]]:
    """Returns the overall rates, and those of slots that have their own."""
    rates = parse_object(ObjectType.RATES, body)
    if not isinstance(rates, AdRates):
        return []
    apart = [(one.clicks, one.conversions) for one in rates.by_slot]
    return [(rates.clicks, rates.conversions), *apart]
