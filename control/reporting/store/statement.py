"""Builds the statement that reads a report from the report store, in ClickHouse's SQL."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from control.events.ingest.report_queue import DECISION
from control.ports.report_store import literal
from control.reporting.reports.hourly_sql import added_by, kinds_of
from control.reporting.reports.metrics import (
    OF_DECISIONS,
    ChargedMicros,
    CountedDecisions,
    CountedEvents,
    Sum,
)
from control.reporting.reports.report_query import ReportOrder
from control.reporting.reports.vocabulary import NAMED, Dimension

_SHARES = (
    "asof left join (select share.1 as share_of, toDateTime(share.2, 'UTC') as since, share.3 as percent from "
    "(select arrayJoin(arrayZip({share_properties:Array(UUID)}, {share_since:Array(UInt32)}, "
    "{share_percents:Array(Int64)})) as share)) s on h.property_id = s.share_of and h.hour >= s.since"
)
"""As `control.reporting.reports.hourly_sql.SHARES`; the first known share of a property is given as of 1970."""


class Share(NamedTuple):
    """A property's share from this hour on."""

    property_id: str
    since: datetime
    percent: int


@dataclass(frozen=True, slots=True)
class StoredQuery:
    """
    A report, or its totals, of one account and environment.

    ``properties``: at least one. ``periods``: where each begins, the first with the range. ``shares``: by property,
    then by hour; only read for `Sum.EARNED_PARTS`.
    """

    account_id: str
    is_test: bool
    properties: Sequence[str]
    periods: Sequence[datetime]
    until: datetime
    group_by: Sequence[Dimension]
    sums: Sequence[Sum]
    filters: Mapping[Dimension, Sequence[str]]
    order: ReportOrder | None = None
    max_rows: int | None = None
    shares: Sequence[Share] = ()

    @property
    def statement(self) -> str:
        """Each row: the start of its period as epoch seconds, the values of ``group_by``, the sums."""
        columns = [f"h.{each.column} as {each.column}" for each in self.group_by]
        sums = [f"sum({_added_by(name)}) as {name}" for name in self.sums]
        period = "roundDown(toUInt32(h.hour), {periods:Array(UInt32)}) as period"
        where = [
            "h.account_id = {account:String} and h.is_test = {is_test:Bool}",
            "h.property_id in {properties:Array(UUID)}",
            "h.kind in {kinds:Array(String)}",
            "h.hour >= toDateTime({since:UInt32}, 'UTC') and h.hour < toDateTime({until:UInt32}, 'UTC')",
            *(
                f"h.{each.column} in {{wanted_{each}:Array({_type_of(each)})}}"
                for each in self.filters
            ),
        ]
        join = _SHARES if Sum.EARNED_PARTS in self.sums else ""
        groups = ", ".join(["period", *(each.column for each in self.group_by)])
        any_sum = " or ".join(f"{name} <> 0" for name in self.sums)
        limit = "" if self.max_rows is None else f" limit {int(self.max_rows)}"
        return (
            f"select * from (select {', '.join([period, *columns, *sums])} from {{hours}} h {join} "  # noqa: S608 - constants only
            f"where {' and '.join(where)} group by {groups}) where {any_sum} order by {self._order()}{limit}"
        )

    @property
    def parameters(self) -> dict[str, str]:
        kinds = [str(kind) for kind in kinds_of({*self.sums} - OF_DECISIONS)]
        if OF_DECISIONS & {*self.sums}:
            kinds.append(DECISION)
        values = {
            "account": self.account_id,
            "is_test": str(self.is_test).lower(),
            "properties": _array(self.properties),
            "kinds": _array(kinds),
            "periods": _numbers(map(_epoch_s, self.periods)),
            "since": str(_epoch_s(self.periods[0])),
            "until": str(_epoch_s(self.until)),
        }
        values |= {f"wanted_{each}": _array(wanted) for each, wanted in self.filters.items()}
        if Sum.EARNED_PARTS in self.sums:
            first: set[str] = set()
            since = []
            for one in self.shares:
                since.append(_epoch_s(one.since) if one.property_id in first else 0)
                first.add(one.property_id)
            values |= {
                "share_properties": _array([one.property_id for one in self.shares]),
                "share_since": _numbers(since),
                "share_percents": _numbers(one.percent for one in self.shares),
            }
        return values

    def _order(self) -> str:
        order = []
        if self.order is not None:
            metric = self.order.metric
            value = metric.formula.sort_sql.replace("numeric", "Float64").format(*metric.sums)
            order.append(f"{value} {'desc' if self.order.is_descending else 'asc'} nulls last")
        order.append("period")
        order += [
            f"toString({each.column})" if each in NAMED else each.column for each in self.group_by
        ]
        return ", ".join(order)


def _added_by(name: Sum) -> str:
    """What one stored hour adds. Here decisions are hours, too, whose reason is the outcome."""
    match name.of:
        case CountedDecisions(outcome=None):
            return f"if(h.kind = '{DECISION}', h.count, 0)"
        case CountedDecisions(outcome=outcome):
            return f"if(h.kind = '{DECISION}' and h.reason = '{outcome}', h.count, 0)"
        case ChargedMicros():
            charged = f"if(h.kind <> '{DECISION}', h.charged_micros, 0)"
            return f"{charged} * s.percent" if name is Sum.EARNED_PARTS else charged
        case CountedEvents():
            return f"ifNull({added_by(name)}, 0)"


def _type_of(dimension: Dimension) -> str:
    return "UUID" if dimension in NAMED else "String"


def _array(values: Collection[str]) -> str:
    """ClickHouse's text of an array of strings or ids."""
    return "[" + ",".join(map(literal, values)) + "]"


def _numbers(values: Iterable[int]) -> str:
    return "[" + ",".join([str(value) for value in values]) + "]"


def _epoch_s(at: datetime) -> int:
    return int(at.timestamp())
