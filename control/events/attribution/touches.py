"""Touches to which conversions can be attributed: stored clicks and views, and the terms of their campaigns."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.attribution import (
    HOUR_MS,
    LONGEST_CLICK_HOURS,
    LONGEST_VIEW_HOURS,
    Terms,
    Touch,
)
from common.values.clock import from_ms, to_ms
from control.events.attribution.pending_conversions import PendingConversion
from control.events.ingest.record_validation import LATEST_MS

CLICKS_KEPT_DAYS = LONGEST_CLICK_HOURS // 24 + 1
VIEWS_KEPT_DAYS = LONGEST_VIEW_HOURS // 24 + 1
_LONGEST_LIFE_DAYS = 31
"""Days between a serve and its click: the longest life of a token, plus its leeway. E-mail has the longest."""
_BY_CLICK = text(
    "select n.id as conversion_id, t.* from unnest(cast(:ids as uuid[]), cast(:clicks as uuid[]), "  # noqa: S608 - constants only
    "cast(:properties as uuid[]), cast(:tests as boolean[]), cast(:served as date[])) "
    "as n(id, click_id, property_id, is_test, served) cross join lateral ("
    "select * from click_touches t where t.token_id = n.click_id and t.is_test = n.is_test "
    f"and t.day between n.served - 1 and n.served + {_LONGEST_LIFE_DAYS} "
    "and (n.property_id is null or t.property_id = n.property_id) limit 1) t"
)
"""
Looks up each click by index, in the few days that it can lie in: the planner would otherwise read them all together.
"""


def _by_person(table: str) -> str:
    """SQL: for each campaign that touched the person before the conversion, its last touch."""
    return (
        "select n.id as conversion_id, t.* from unnest(cast(:ids as uuid[]), cast(:people as bytea[]), "  # noqa: S608 - constants only
        "cast(:properties as uuid[]), cast(:tests as boolean[]), cast(:before as timestamptz[])) "
        "as n(id, person, property_id, is_test, before) cross join lateral ("
        f"select distinct on (campaign_id) * from {table} t where t.property_id = n.property_id "
        "and t.is_test = n.is_test and t.person = n.person and t.at <= n.before "
        "and t.at > n.before - make_interval(hours => :hours) "
        "order by campaign_id, at desc, token_id desc) t"
    )


_CLICKS_OF_PERSON = text(_by_person("click_touches"))
_VIEWS_OF_PERSON = text(_by_person("view_touches"))
_TERMS = text("select id, attribution from campaigns where id = any(:ids)")
_THROUGH = text("select t, events_through_ms(t) from unnest(array[true, false]) t")
_ENSURE = text("select ensure_touch_partitions(:today, :clicks_kept_days, :views_kept_days)")

TouchRow = Row[Any]


class FoundTouches:
    """The touches of one batch of conversions, by conversion."""

    def __init__(self) -> None:
        self.clicks: dict[UUID, list[TouchRow]] = defaultdict(list)
        self.views: dict[UUID, list[TouchRow]] = defaultdict(list)
        self.terms: dict[str, Terms] = {}


async def find_touches(session: AsyncSession, held: Sequence[PendingConversion]) -> FoundTouches:
    """For a person, finds only the last touch of each campaign: an earlier one of the same campaign never wins."""
    found = FoundTouches()
    by_click = [one for one in held if one.click_id is not None]
    if by_click:
        clicks = [one.click_id for one in by_click if one.click_id is not None]
        requested = _parameters(by_click) | {
            "clicks": clicks,
            "served": [_day_of(one) for one in clicks],
        }
        for row in await session.execute(_BY_CLICK, requested):
            found.clicks[row.conversion_id].append(row)
    by_person = [one for one in held if one.person is not None]
    if by_person:
        requested = _parameters(by_person) | {
            "people": [one.person for one in by_person],
            "before": [one.occurred_at for one in by_person],
        }
        for row in await session.execute(
            _CLICKS_OF_PERSON, requested | {"hours": LONGEST_CLICK_HOURS}
        ):
            found.clicks[row.conversion_id].append(row)
        for row in await session.execute(
            _VIEWS_OF_PERSON, requested | {"hours": LONGEST_VIEW_HOURS}
        ):
            found.views[row.conversion_id].append(row)
    found.terms = await _terms(session, [*found.clicks.values(), *found.views.values()])
    return found


async def read_through(session: AsyncSession) -> dict[bool, int | None]:
    """For test and live: every event up to this instant (epoch ms) is stored; None before the first watermark."""
    return {row[0]: row[1] for row in await session.execute(_THROUGH)}


async def ensure_touch_partitions(session: AsyncSession, today: date) -> None:
    """Creates yesterday to two days ahead; drops touches older than any campaign's window. Runs as the service role."""
    kept = {"clicks_kept_days": CLICKS_KEPT_DAYS, "views_kept_days": VIEWS_KEPT_DAYS}
    await session.execute(_ENSURE, {"today": today} | kept)


def touch_of(row: TouchRow) -> Touch:
    return Touch(row.token_id, str(row.campaign_id), to_ms(row.at))


def terms_of(attribution: dict[str, Any]) -> Terms:
    """A campaign's terms from its row; missing values take the default."""
    default = Terms()
    clicks, views = attribution.get("click_window_hours"), attribution.get("view_window_hours")
    return Terms(
        default.click_window_ms if clicks is None else clicks * HOUR_MS,
        default.view_window_ms if views is None else views * HOUR_MS,
        frozenset(attribution.get("conversion_events") or ()),
        attribution.get("pixel_conversions_per_click") or default.pixel_conversions_per_click,
    )


def _day_of(click_id: UUID) -> date:
    """The day of the serve, with which a click id begins; any day for a made-up id."""
    return from_ms(min(click_id.int >> 80, LATEST_MS)).date()


def _parameters(held: Sequence[PendingConversion]) -> dict[str, list[Any]]:
    return {
        "ids": [one.id for one in held],
        "properties": [one.property_id for one in held],
        "tests": [one.is_test for one in held],
    }


async def _terms(session: AsyncSession, rows: Sequence[Sequence[TouchRow]]) -> dict[str, Terms]:
    ids = sorted({str(row.campaign_id) for some in rows for row in some})
    if not ids:
        return {}
    return {row[0]: terms_of(row[1]) for row in await session.execute(_TERMS, {"ids": ids})}
