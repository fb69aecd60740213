"""`control admin events`: retracts events, and judges stored events by today's lists."""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from common.ivt.judge_lists import JudgeLists, read_lists
from common.ivt.windows import Limits
from common.values.ids import is_uuid
from control.api.context import ControlContext
from control.api.operator_action import NotFound, operator_action
from control.events.corrections import statements as sql
from control.events.corrections.rejudge import count_by_dropped_rules, find_invalid
from control.events.corrections.retract import Chosen, Retracted, retract
from control.events.ingest.store_factory import limits_of
from control.foundation.wire_types import Instant
from control.operations.admin_cli.run import Printed, run_with
from control.storage.tables.campaigns import CampaignRow

app = typer.Typer(help="Events: retract, rejudge.", no_args_is_help=True)

_AT_ONCE = 500
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)
Since = Annotated[str | None, typer.Option("--since", help="From 2026-03-01T00:00:00Z on.")]
Until = Annotated[str | None, typer.Option("--until", help="Before 2026-03-02T00:00:00Z.")]


@app.command("retract")
def retract_(
    reason: Annotated[str, typer.Option("--reason", help="Reason, recorded in the audit log.")],
    event: Annotated[list[str] | None, typer.Option("--event", help="An event's id.")] = None,
    campaign: Annotated[
        str | None, typer.Option("--campaign", help="All events of this campaign.")
    ] = None,
    since: Since = None,
    until: Until = None,
) -> None:
    """Retract valid events: each gets a correction, and its charge is refunded."""
    if (event is None) == (campaign is None):
        raise typer.BadParameter("Name either events (--event, again and again) or a --campaign.")
    if campaign is None and (since or until):
        raise typer.BadParameter("--since and --until are for the events of a --campaign.")
    times = _instant(since), _instant(until)
    if campaign is None:
        run_with(lambda control: retract_events(control, event or [], reason))
    else:
        run_with(lambda control: retract_campaign(control, campaign, reason, *times))


@app.command()
def rejudge(
    since: Annotated[str, typer.Option("--since", help="From 2026-03-01T00:00:00Z on.")],
    until: Until = None,
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Retract them. Default: only count.")
    ] = False,
) -> None:
    """Judge the events of a period again, by today's lists and limits."""
    start, end = _parse_instant(since), _instant(until)
    run_with(lambda control: rejudge_events(control, start, end, apply=apply))


async def retract_events(
    control: ControlContext, event_ids: Sequence[str], reason: str
) -> dict[str, Any]:
    """Raises `NotFound`, and retracts nothing, if any of them does not exist or never was valid."""
    wanted = [uuid.UUID(one) for one in event_ids if is_uuid(one)]
    today = control.clock.now().date()
    kept = control.settings.events_retention_days
    days = [today + timedelta(days=offset) for offset in range(-kept, 2)]
    async with operator_action(control) as act:
        rows = (await act.session.execute(sql.BY_IDS, {"days": days, "ids": wanted})).all()
    missing = set(event_ids) - {str(row.id) for row in rows}
    if missing:
        raise NotFound(f"There is no valid event {min(missing)!r}.")
    return await _take_back(
        control, [Chosen(row.stored_day, row.id, reason) for row in rows], reason
    )


async def retract_campaign(
    control: ControlContext,
    campaign_id: str,
    reason: str,
    since: datetime | None,
    until: datetime | None,
) -> dict[str, Any]:
    """Raises `NotFound`."""
    first = control.clock.now() - timedelta(days=control.settings.events_retention_days)
    requested = {"campaign": campaign_id, "first": first.date(), "since": since, "until": until}
    total = Retracted()
    async with operator_action(control) as act:
        await act.get(CampaignRow, campaign_id, lock=False)
    while True:
        async with operator_action(control) as act:
            rows = (
                await act.session.execute(sql.OF_CAMPAIGN, requested | {"most": _AT_ONCE})
            ).all()
        chosen = [Chosen(row.stored_day, row.id, reason) for row in rows]
        await _batch(control, chosen, reason, total)
        if len(rows) < _AT_ONCE:
            return _shown(total)


async def rejudge_events(
    control: ControlContext, since: datetime, until: datetime | None, *, apply: bool
) -> Printed:
    """
    Reports, by reason, how many events would not count today, and by retired robot rule how many would.

    With *apply*, retracts the former. The latter are left unchanged (ADR 41).
    """
    lists, limits = _means(control)
    found: list[Chosen] = []
    reasons: Counter[str] = Counter()
    async with control.database.service() as session:
        end = until or control.clock.now()
        async for chosen, reason in find_invalid(session, lists, limits, since, end):
            found.append(chosen)
            reasons[reason.value] += 1
        dropped = await count_by_dropped_rules(session, lists, since, end)
    judged: dict[str, Any] = {
        "found": dict(sorted(reasons.items())),
        "found_by_dropped_rules": dict(sorted(dropped.items())),
        "lists_version": lists.version,
    }
    if apply:
        judged |= await _take_back(control, found, f"judged again by lists {lists.version}")
    return judged


async def _take_back(
    control: ControlContext, chosen: Sequence[Chosen], reason: str
) -> dict[str, Any]:
    total = Retracted()
    waiting = iter(chosen)
    while batch := list(islice(waiting, _AT_ONCE)):
        await _batch(control, batch, reason, total)
    return _shown(total)


async def _batch(
    control: ControlContext, chosen: Sequence[Chosen], reason: str, total: Retracted
) -> None:
    """Retracts one batch in a transaction of its own, with a line in each account's log about its own events."""
    if not chosen:
        return
    async with operator_action(control) as act:
        done = await retract(act.session, act.changes, chosen, control.clock.now())
        for account_id, share in sorted(done.by_account.items()):
            detail = {"events": share.events, "micros": share.micros, "reason": reason}
            act.record("events.retract", "event", str(share.first), account_id, **detail)
    total.events += done.events
    total.micros += done.micros
    total.reopened += done.reopened


def _means(control: ControlContext) -> tuple[JudgeLists, Limits]:
    settings = control.settings
    path, count_opens = settings.data_center_ranges, settings.count_mail_opens
    return read_lists(path, count_opens=count_opens), limits_of(settings)


def _shown(total: Retracted) -> dict[str, Any]:
    return {
        "retracted": total.events,
        "micros": total.micros,
        "reopened_campaigns": sorted(set(total.reopened)),
    }


def _instant(given: str | None) -> datetime | None:
    return None if given is None else _parse_instant(given)


def _parse_instant(given: str) -> datetime:
    try:
        return _INSTANT.validate_python(given)
    except ValidationError as error:
        raise typer.BadParameter(error.errors(include_url=False)[0]["msg"]) from None
