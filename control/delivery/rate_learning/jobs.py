"""
The job that learns click and conversion rates: it turns counts into evidence and evidence into rates, and publishes the
rates that changed. Repeating it publishes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from sqlalchemy import text

from common.decision.posterior_rates import learned_rates
from common.decision.rules.hierarchical_rates import AdCounts, Hierarchy, changed_materially
from common.snapshot.codec import encode_object, parse_object
from common.snapshot.model import AdRates, ObjectType
from common.values.enums import Format
from common.values.environment import Environment
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.delivery.rate_learning.decayed_counts import absorb_counts, load_counts, load_levels
from control.outbox.changes import Changes
from control.outbox.outbox import flush

_CAMPAIGNS_AT_ONCE = 200
_ADS_AT_ONCE = 200
"""Ads published in one transaction: until it commits, no other change can be published."""

_RUNNING = "c.status in ('active', 'paused')"
_CAMPAIGNS = text(
    f"select c.id from campaigns c where {_RUNNING} and c.id > :after order by c.id "  # noqa: S608 - constants only
    f"limit {_CAMPAIGNS_AT_ONCE}"
)
_ADS = text(
    "select a.id, a.campaign_id, a.account_id, a.environment, a.format, r.body from ads a "
    "left join ad_rates r on r.ad_id = a.id "
    "where a.campaign_id = any(:campaign_ids) and a.status in ('active', 'paused') "
    "order by a.campaign_id, a.id"
)
_PUT = text(
    "insert into ad_rates (ad_id, account_id, environment, body, learned_at) "
    "select *, cast(:now as timestamptz) from unnest(cast(:ads as varchar[]), cast(:accounts as varchar[]), "
    "cast(:environments as varchar[]), cast(:bodies as bytea[])) "
    "on conflict (ad_id) do update set body = excluded.body, learned_at = excluded.learned_at"
)
_PURGE = text(
    "delete from ad_rates where ad_id = any(array("  # noqa: S608 - constants only
    "select r.ad_id from ad_rates r where not exists (select from ads a join campaigns c on c.id = a.campaign_id "
    f"where a.id = r.ad_id and a.status in ('active', 'paused') and {_RUNNING}) limit {_ADS_AT_ONCE})) "
    "returning ad_id"
)


@dataclass(frozen=True, slots=True)
class _Ad:
    """``published``: the rates that edges hold, None where they hold none."""

    id: str
    campaign_id: str
    account_id: str
    environment: Environment
    format: Format
    published: AdRates | None


async def update_predicted_rates(control: ControlContext) -> None:
    """Updates all ads of running campaigns; each environment learns from its own events alone."""
    now, half_life_s = control.clock.now(), control.settings.learning_half_life_s
    more = True
    while more:
        async with control.database.service() as session:
            more = await absorb_counts(session, now, half_life_s)
    async with control.database.service() as session:
        levels = await load_levels(session, now, half_life_s)
    failed = await _publish_changed(control, levels, now)
    await _publish_ended(control, now)
    failed.raise_first()


async def _publish_changed(
    control: ControlContext, levels: dict[Environment, Hierarchy], now: datetime
) -> FailedItems:
    """Returns the campaigns whose rates could not be computed; their ads keep the rates that they have."""
    after, failed = "", FailedItems()
    waiting: list[tuple[_Ad, AdRates]] = []
    while True:
        ids, ads, counts = await _page(control, after, now)
        for campaign_id, own in groupby(ads, attrgetter("campaign_id")):
            with failed.catching(campaign_id):
                waiting += _changed(levels, list(own), counts)
        while len(waiting) >= _ADS_AT_ONCE:
            await _publish(control, waiting[:_ADS_AT_ONCE], now)
            del waiting[:_ADS_AT_ONCE]
        if len(ids) < _CAMPAIGNS_AT_ONCE:
            break
        after = ids[-1]
    await _publish(control, waiting, now)
    return failed


async def _page(
    control: ControlContext, after: str, now: datetime
) -> tuple[Sequence[str], list[_Ad], dict[str, AdCounts]]:
    """Returns the campaigns after *after*, their ads, and the counts of these."""
    half_life_s = control.settings.learning_half_life_s
    async with control.database.service() as session:
        ids = (await session.scalars(_CAMPAIGNS, {"after": after})).all()
        rows = await session.execute(_ADS, {"campaign_ids": list(ids)})
        ads = [_ad(*row) for row in rows]
        counts = await load_counts(session, [ad.id for ad in ads], now, half_life_s)
    return ids, ads, {ad.id: AdCounts(ad.id, ad.format, counts[ad.id]) for ad in ads}


def _ad(  # noqa: PLR0917 - the columns of one row
    ad_id: str,
    campaign_id: str,
    account_id: str,
    environment: str,
    ad_format: str,
    body: bytes | None,
) -> _Ad:
    published = None if body is None else parse_object(ObjectType.RATES, body)
    if published is not None and not isinstance(published, AdRates):
        raise TypeError(f"ad_rates of {ad_id} holds {type(published).__name__}")
    return _Ad(
        ad_id, campaign_id, account_id, Environment(environment), Format(ad_format), published
    )


def _changed(
    levels: dict[Environment, Hierarchy], ads: Sequence[_Ad], counts: dict[str, AdCounts]
) -> list[tuple[_Ad, AdRates]]:
    """Returns those ads of one campaign whose rates changed enough to publish."""
    updated = learned_rates(levels[ads[0].environment], [counts[ad.id] for ad in ads])
    return [
        (ad, rates)
        for ad, rates in zip(ads, updated, strict=True)
        if changed_materially(ad.published, rates, ad.format)
    ]


async def _publish(
    control: ControlContext, changed: Sequence[tuple[_Ad, AdRates]], now: datetime
) -> None:
    if not changed:
        return
    changes = Changes()
    for ad, _ in changed:
        changes.touch(ObjectType.RATES, ad.id)
    async with control.database.service() as session:
        columns = {
            "ads": [ad.id for ad, _ in changed],
            "accounts": [ad.account_id for ad, _ in changed],
            "environments": [ad.environment.value for ad, _ in changed],
            "bodies": [encode_object(rates) for _, rates in changed],
        }
        await session.execute(_PUT, columns | {"now": now})
        await flush(session, changes, keys=control.keys, now=now)


async def _publish_ended(control: ControlContext, now: datetime) -> None:
    """Removes rates of ads that no longer run from edges; the counts stay for ads that run again."""
    while True:
        changes = Changes()
        async with control.database.service() as session:
            for ad_id in await session.scalars(_PURGE):
                changes.touch(ObjectType.RATES, ad_id)
            await flush(session, changes, keys=control.keys, now=now)
        if len(changes.touched) < _ADS_AT_ONCE:
            return
