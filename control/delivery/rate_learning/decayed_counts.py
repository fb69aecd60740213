"""Decayed counts of ads in slots: new counts have full weight, which halves after each half-life."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import log
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.decision.between_ad_variance import spreads_of
from common.decision.rules.hierarchical_rates import (
    CLICK_STRENGTH,
    DRIFT_A_SECOND,
    AdCounts,
    Counts,
    Hierarchy,
)
from common.values.enums import Format
from common.values.environment import Environment

_PAIRS_AT_ONCE = 20_000
_LONG_AGO = 60
"""Half-lives after which the decay stops, so that powers do not underflow."""
_MAX_SAMPLED = 300
"""Campaigns of an environment from which the spread of rates is estimated: a stable sample, whatever they do."""


def _share(row: str = "") -> str:
    """
    SQL: the current weight at ``:now`` of the counts of an evidence *row*, by the formula of
    `common.decision.rules.hierarchical_rates.faded`.
    """
    age = f"extract(epoch from cast(:now as timestamptz) - {row}as_of)"
    half_life = "cast(:half_life_s as double precision)"
    halved = f"power(0.5, least({_LONG_AGO}, greatest(0, {age} / {half_life})))"
    recent = f"({row}recent_clicks + {row}recent_impressions / {CLICK_STRENGTH})"
    drifted = f"{recent} * {DRIFT_A_SECOND / log(2)!r} * {half_life}"
    return f"{halved} / (1 + {drifted} * (1 - {halved}))"


def _recent(name: str) -> str:
    """SQL: the decayed counts of *name* plus the new ones; less than a millionth counts as zero."""
    recent = f"coalesce(e.recent_{name} * {_share('e.')}, 0)"
    return (
        f"greatest(0, case when {recent} < 1e-6 then 0 else {recent} end"
        f" + c.{name} - coalesce(e.seen_{name}, 0))"
    )


_KINDS = ("impressions", "clicks", "conversions")
_COLUMNS = [f"seen_{name}" for name in _KINDS] + [f"recent_{name}" for name in _KINDS]
_ABSORB = text(f"""
insert into ad_slot_evidence (ad_id, slot_id, {", ".join(_COLUMNS)}, as_of)
select c.ad_id, c.slot_id, c.impressions, c.clicks, c.conversions,
    {", ".join(_recent(name) for name in _KINDS)}, cast(:now as timestamptz)
from ad_slot_counts c join accounts o on o.id = c.account_id and not o.is_sample
left join ad_slot_evidence e on e.ad_id = c.ad_id and e.slot_id = c.slot_id
where e.ad_id is null or (c.impressions, c.clicks, c.conversions)
    is distinct from (e.seen_impressions, e.seen_clicks, e.seen_conversions)
limit {_PAIRS_AT_ONCE}
on conflict (ad_id, slot_id) do update set
    {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}, as_of = excluded.as_of
""")  # noqa: S608 - constants only
_WEIGHED = ", ".join(f"recent_{name} * {_share()} as {name}" for name in _KINDS)
_LEVELLED = ", ".join(
    f"sum(e.{name} * least(1, {CLICK_STRENGTH} / greatest(e.impressions, 1)))" for name in _KINDS
)
"""SQL: sums of counts, weighed as by `common.decision.rules.hierarchical_rates.shrink_to_parent`."""
_LEVELS = text(f"""
select a.environment, a.format, cast(e.slot_id as varchar), {_LEVELLED}
from (select ad_id, slot_id, {_WEIGHED} from ad_slot_evidence) e join ads a on a.id = cast(e.ad_id as varchar)
group by 1, 2, 3
""")  # noqa: S608 - constants only
_OF_ADS = text(f"""
select cast(ad_id as varchar), cast(slot_id as varchar), {_WEIGHED}
from ad_slot_evidence where ad_id = any(cast(:ad_ids as uuid[]))
""")  # noqa: S608 - constants only


_SAMPLE = text(f"""
select a.campaign_id, a.format, a.id from ads a where a.campaign_id = any(array(
    select c.id from campaigns c where c.status in ('active', 'paused') and c.environment = :environment
        and exists (select from ads o join ad_slot_evidence e on e.ad_id = cast(o.id as uuid)
            where o.campaign_id = c.id)
    order by md5(c.id) limit {_MAX_SAMPLED}
)) order by a.campaign_id, a.id
""")  # noqa: S608 - constants only
_PLACES = text("""
select a.id, s.id from ads a
join campaigns c on c.id = a.campaign_id
cross join lateral jsonb_array_elements_text(c.property_ids) p (property_id)
join slots s on s.property_id = p.property_id and s.status = 'active' and jsonb_exists(s.formats, a.format)
where a.id = any(:ad_ids) and c.pricing_model in ('cpc', 'cpa')
    and (a.slot_ids = '[]' or jsonb_exists(a.slot_ids, s.id))
""")


async def absorb_counts(session: AsyncSession, now: datetime, half_life_s: float) -> bool:
    """
    Adds the counts since the last run, and returns whether there may be more. The result depends on the counts alone,
    so repeated or concurrent runs add nothing twice.
    """
    done: Any = await session.execute(_ABSORB, {"now": now, "half_life_s": half_life_s})
    more: bool = done.rowcount == _PAIRS_AT_ONCE
    return more


async def load_levels(
    session: AsyncSession, now: datetime, half_life_s: float
) -> dict[Environment, Hierarchy]:
    """Returns the counts of all ads by format and slot, and the spread of rates, by environment."""
    found: dict[Environment, tuple[dict[Format, Counts], dict[tuple[Format, str], Counts]]] = {
        environment: ({}, {}) for environment in Environment
    }
    scope = {"now": now, "half_life_s": half_life_s}
    for environment, ad_format, slot_id, *counted in await session.execute(_LEVELS, scope):
        formats, slots = found[Environment(environment)]
        kind, counts = Format(ad_format), Counts(*counted)
        formats[kind] = formats.get(kind, Counts()) + counts
        slots[(kind, slot_id)] = counts
    return {
        environment: await _with_spreads(session, environment, Hierarchy(*both), scope)
        for environment, both in found.items()
    }


async def _with_spreads(
    session: AsyncSession, environment: Environment, levels: Hierarchy, scope: dict[str, Any]
) -> Hierarchy:
    rows = (await session.execute(_SAMPLE, {"environment": environment.value})).all()
    by_ad: dict[str, dict[str, Counts]] = {ad_id: {} for _, _, ad_id in rows}
    for ad_id, slot_id, *counted in await session.execute(_OF_ADS, scope | {"ad_ids": list(by_ad)}):
        by_ad[ad_id][slot_id] = Counts(*counted)
    campaigns: dict[str, list[AdCounts]] = {}
    for campaign_id, ad_format, ad_id in rows:
        counts = AdCounts(ad_id, Format(ad_format), by_ad[ad_id])
        campaigns.setdefault(campaign_id, []).append(counts)
    return replace(levels, spreads=spreads_of(levels, campaigns.values()))


async def load_counts(
    session: AsyncSession, ad_ids: Sequence[str], now: datetime, half_life_s: float
) -> dict[str, dict[str, Counts]]:
    """
    Returns counts by ad and slot: slots in which the ad was shown.

    For CPC and CPA campaigns also the slots in which it may show, with zero counts.
    """
    found: dict[str, dict[str, Counts]] = {ad_id: {} for ad_id in ad_ids}
    for ad_id, slot_id in await session.execute(_PLACES, {"ad_ids": list(ad_ids)}):
        found[ad_id][slot_id] = Counts()
    scope = {"now": now, "half_life_s": half_life_s, "ad_ids": list(ad_ids)}
    for ad_id, slot_id, *counted in await session.execute(_OF_ADS, scope):
        found[ad_id][slot_id] = Counts(*counted)
    return found
