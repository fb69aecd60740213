"""The parameters of a report's address. They hold its whole state, so that a link to it is the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from control.dashboard.page_request import PageRequest
from control.dashboard.reports.ranges import Days, days_of
from control.dashboard.targeting.typed_names import parse_area
from control.dashboard.timezones import ZONES, read_timezone
from control.reporting.reports.metrics import METRICS, Metric
from control.reporting.reports.rules import LONGEST
from control.reporting.reports.vocabulary import Dimension, Granularity, NamedRange

USUAL = (
    Metric.REQUESTS,
    Metric.FILL_RATE,
    Metric.IMPRESSIONS,
    Metric.CLICKS,
    Metric.CTR,
    Metric.SPEND_CENTS,
)
INTO: dict[Dimension, Dimension] = {
    Dimension.CAMPAIGN: Dimension.AD,
    Dimension.AD: Dimension.SLOT,
    Dimension.PROPERTY: Dimension.SLOT,
    Dimension.SLOT: Dimension.CAMPAIGN,
    Dimension.COUNTRY: Dimension.DEVICE,
    Dimension.DEVICE: Dimension.FORMAT,
    Dimension.FORMAT: Dimension.CAMPAIGN,
    Dimension.SOURCE: Dimension.CAMPAIGN,
    Dimension.SURFACE: Dimension.DEVICE,
    Dimension.REASON: Dimension.PROPERTY,
}
"""The dimension by which a part is split further."""
USUAL_OF_HOURS = NamedRange.FOUR_WEEKS
"""The range of the heat map where its address has none."""
_MAX_GROUPS = 2
_FIRST_YEAR, _LAST_YEAR = 2000, 2199
_ON = "on"


@dataclass(frozen=True, slots=True)
class ReportParams:
    """
    ``granularity``: None where it follows from the range. ``filters``: by their API names.

    Unknown names in the address are left out, so that a mistyped link is still a report. The API validates the values
    of filters.
    """

    days: Days
    named: NamedRange | None
    zone: ZoneInfo
    granularity: Granularity | None = None
    group_by: tuple[Dimension, ...] = ()
    metrics: tuple[Metric, ...] = USUAL
    shown: Metric = Metric.IMPRESSIONS
    """The figure of the chart, by which rows are sorted."""
    compares: bool = False
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def period(self) -> Granularity:
        """A split covers the whole range unless a granularity is requested; otherwise it follows from the range."""
        if self.granularity is not None:
            return self.granularity
        return Granularity.TOTAL if self.group_by else self.days.usual_granularity

    @property
    def query(self) -> dict[str, Any]:
        """For `PageRequest.url`: the parameters of this report's address."""
        days = (
            {"range": self.named}
            if self.named
            else {"from": self.days.first.isoformat(), "to": self.days.last.isoformat()}
        )
        return {
            **days,
            "granularity": self.granularity,
            "group_by": ",".join(self.group_by),
            "metrics": "" if self.metrics == USUAL else ",".join(self.metrics),
            "chart": self.shown,
            "tz": self.zone.key,
            "compare": _ON if self.compares else None,
            **{name: ",".join(values) for name, values in self.filters.items()},
        }

    @property
    def hours_query(self) -> dict[str, Any]:
        """`query` for the heat map: with its usual range where it does not cover that of the report."""
        if self.days.count <= LONGEST[Granularity.HOUR].days:
            return self.query
        return self.query | {"from": None, "to": None, "range": USUAL_OF_HOURS}

    def within(self, dimension: Dimension, value: str) -> "ReportParams":
        """Narrowed to one of the rows, and split further."""
        filters = {**self.filters, dimension.column: [value]}
        return replace(self, group_by=(INTO[dimension],), granularity=None, filters=filters)

    def widened(self) -> "ReportParams | None":
        """The report from which a click on a row led here by `within`; None where there is none."""
        for each in reversed([one for one in Dimension if one.column in self.filters]):
            is_one = len(self.filters[each.column]) == 1
            if is_one and self.group_by == (INTO[each],) and self.granularity is None:
                return replace(self.without(each.column), group_by=(each,))
        return None

    def without(self, name: str, value: str | None = None) -> "ReportParams":
        """Without the filter *name*, or without one *value* of it."""
        kept = [one for one in self.filters.get(name, ()) if value is not None and one != value]
        left = {other: kept if other == name else own for other, own in self.filters.items()}
        return replace(self, filters={other: own for other, own in left.items() if own})


def parse_params(view: PageRequest, usual: NamedRange = NamedRange.WEEK) -> ReportParams:
    """From the address of *view*; where it has no range, of the *usual* one."""
    zone = _zone(view)
    named, days = _days(view, view.now.astimezone(zone).date(), usual)
    metrics = tuple(METRICS[name] for name in view.query_values("metrics") if name in METRICS)
    if not metrics or {*metrics} == {*USUAL}:
        metrics = USUAL
    shown = view.query_param("chart")
    return ReportParams(
        days=days,
        named=named,
        zone=zone,
        granularity=_member(Granularity, view.query_param("granularity")),
        group_by=tuple(
            Dimension(name) for name in view.query_values("group_by") if name in set(Dimension)
        )[:_MAX_GROUPS],
        metrics=metrics,
        shown=METRICS[shown] if shown in metrics else _usual_shown(metrics),
        compares=view.query_param("compare") == _ON,
        filters=_filters(view),
    )


def _filters(view: PageRequest) -> dict[str, Sequence[str]]:
    """Countries may be named in the reader's language; other text, also with a region, is left to the API to refuse."""
    found = {each.column: view.query_values(each.column) for each in Dimension}
    locale, country = view.user_locale.locale, Dimension.COUNTRY.column
    areas = {one: parse_area(locale, one) for one in found[country]}
    found[country] = [one if "region" in area else area["country"] for one, area in areas.items()]
    return {name: list(dict.fromkeys(values)) for name, values in found.items() if values}


def _usual_shown(metrics: Sequence[Metric]) -> Metric:
    return Metric.IMPRESSIONS if Metric.IMPRESSIONS in metrics else metrics[0]


def _zone(view: PageRequest) -> ZoneInfo:
    name = read_timezone([view.query_param("tz")])
    return ZoneInfo(name) if name in ZONES else view.timezone


def _days(view: PageRequest, today: date, usual: NamedRange) -> tuple[NamedRange | None, Days]:
    """Both dates together are a range; else the named range; else *usual*. The form sends dates with a named range."""
    first, last = _date(view.query_param("from")), _date(view.query_param("to"))
    named = _member(NamedRange, view.query_param("range"))
    if first is not None and last is not None:
        days = Days(min(first, last), max(first, last))
        if named is None or days != days_of(named, today):
            return None, days
    named = named or usual
    return named, days_of(named, today)


def _date(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if _FIRST_YEAR <= found.year <= _LAST_YEAR else None


def _member(kind: Any, text: str) -> Any:
    return kind(text) if text in set(kind) else None
