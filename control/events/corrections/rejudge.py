"""Judges stored events again: finds those that today's lists and limits would refuse."""

from collections import Counter
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.judge import IvtSignals
from common.ivt.judge_lists import JudgeLists
from common.ivt.rejudge import KeptAgent, as_mail, judge_again
from common.ivt.windows import ClientEvent, Limits, Window, judge_window, record_event
from common.user_agent.robots import rules_in_use
from common.values.clock import to_ms
from common.values.enums import EventKind, Format, Reason, Source, Surface
from control.events.corrections import statements as sql
from control.events.corrections.retract import Chosen

_LOOK_BACK = timedelta(minutes=2)
"""How long before the period windows may hold clients."""
_AT_ONCE = 5_000
_LATEST = timedelta(days=1)
"""Clocks may differ about the day on which an event is stored."""
_NOT_AS_MAIL = frozenset({Surface.SERVER, Surface.WEB})
"""The surfaces of e-mail ads' events that were stored before e-mail had a surface of its own."""


async def find_invalid(
    session: AsyncSession, lists: JudgeLists, limits: Limits, since: datetime, until: datetime
) -> AsyncIterator[tuple[Chosen, Reason]]:
    """
    Yields valid events between the two instants that would be invalid today, with the reason, in order of time.

    Windows see them in that order, which is nearly, but not always, the order of arrival. So a double click whose
    second half arrived first is found here. Reads every event of the period, in batches.
    """
    requested = {
        "since": since - _LOOK_BACK,
        "until": until,
        "first": (since - _LOOK_BACK - _LATEST).date(),
    }
    window = Window()
    rows = await session.stream(sql.JUDGED, requested, execution_options={"yield_per": _AT_ONCE})
    async for row in rows:
        reason = _judge(row, lists, limits, window)
        if row.at >= since and Reason(row.reason).valid and not reason.valid:
            yield Chosen(row.stored_day, row.id, f"judged again: {reason}"), reason


async def count_by_dropped_rules(
    session: AsyncSession, lists: JudgeLists, since: datetime, until: datetime
) -> Counter[str]:
    """
    Counts, by rule, events that a rule no longer in use classified as a robot's and that no current rule refuses.

    Only the first rule that matched is stored, so the counts are upper bounds.
    """
    requested = {
        "since": since,
        "until": until,
        "first": (since - _LATEST).date(),
        "reason": Reason.BOT_USER_AGENT.value,
        "in_use": sorted(rules_in_use()),
    }
    counted: Counter[str] = Counter()
    rows = await session.stream(sql.ROBOTS, requested, execution_options={"yield_per": _AT_ONCE})
    async for row in rows:
        if judge_again(_signals(row), row.network, lists, _agent(row)).valid:
            counted[row.agent_pattern] += 1
    return counted


def _agent(row: Row[Any]) -> KeptAgent:
    return KeptAgent(row.agent_family, row.agent_pattern)


def _judge(row: Row[Any], lists: JudgeLists, limits: Limits, window: Window) -> Reason:
    reason = Reason(row.reason)
    sent = row.format == Format.EMAIL and row.surface in _NOT_AS_MAIL
    if reason.valid and row.signs is not None:
        signals = as_mail(_signals(row)) if sent else _signals(row)
        verdict = judge_again(signals, row.network, lists, _agent(row))
        reason = reason if verdict.valid else verdict.reason
    act = ClientEvent(
        kind=EventKind(row.kind),
        reason=reason,
        client=None if row.client is None else row.client.hex(),
        slot_id=str(row.slot_id),
        ad_id=str(row.ad_id),
        surface=Surface.EMAIL if sent else Surface(row.surface),
        is_test=row.is_test,
        preview=row.source == Source.PREVIEW,
        issued_ms=to_ms(row.issued_at),
        at_ms=to_ms(row.at),
    )
    judged = judge_window(act, window, limits)
    record_event(act, judged, window, limits)
    return judged


def _signals(row: Row[Any]) -> IvtSignals:
    return IvtSignals(
        kind=EventKind(row.kind),
        surface=Surface(row.surface),
        is_test=row.is_test,
        consent_limited=row.reason == Reason.OK_CONSENT_LIMITED,
        issued_ms=to_ms(row.issued_at),
        at_ms=to_ms(row.at),
        signs=row.signs,
    )
