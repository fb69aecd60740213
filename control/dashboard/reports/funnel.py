"""The funnel: from requests to conversions, with what each step loses and why."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.values.errors import ApiError, ErrorCode
from control.dashboard.campaigns.delivery_messages import gate_of
from control.dashboard.page import Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import CAMPAIGN, PROPERTY
from control.dashboard.reports.filters import Filter, filters_of
from control.dashboard.reports.metrics import HELP
from control.dashboard.reports.params import ReportParams, parse_params
from control.dashboard.reports.queries import read_no_fills
from control.dashboard.reports.ranges import LABELS, bounds_of
from control.dashboard.reports.values import label_of, translate
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import Metric
from control.reporting.reports.vocabulary import Dimension, Granularity

_STEPS = (
    Metric.REQUESTS,
    Metric.FILLS,
    Metric.IMPRESSIONS,
    Metric.VIEWABLE_IMPRESSIONS,
    Metric.CLICKS,
    Metric.CONVERSIONS,
)
_OF = {Metric.CLICKS: Metric.IMPRESSIONS}
"""The step that a step is a part of, where that is not the one above it: an ad may be clicked before it is viewable."""
_INVALID = {
    Metric.IMPRESSIONS: Metric.INVALID_IMPRESSIONS,
    Metric.CLICKS: Metric.INVALID_CLICKS,
}
_NAMED = frozenset({Dimension.CAMPAIGN.column, Dimension.AD.column})
LOSSES: dict[Metric, str] = {
    Metric.FILLS: "Unfilled",
    Metric.IMPRESSIONS: "Not shown",
    Metric.VIEWABLE_IMPRESSIONS: "Not reported as viewable",
    Metric.CLICKS: "Without a click",
    Metric.CONVERSIONS: "Without a conversion",
}
"""What a step loses; English, also in the catalogues."""


@dataclass(frozen=True, slots=True)
class Cause:
    """``words``: translated."""

    words: str
    count: int


@dataclass(frozen=True, slots=True)
class Step:
    """``share``: of the step *of*; ``of_first``: of the first step. None where that is 0."""

    metric: Metric
    count: int
    of: Metric | None = None
    share: float | None = None
    of_first: float | None = None
    loss: str = ""
    lost: int = 0
    causes: Sequence[Cause] = ()
    apart: Sequence[Cause] = ()
    """Events that were not counted; they are in no step."""


async def show(view: PageRequest) -> Result:
    params = parse_params(view)
    sites, campaigns = await asyncio.gather(
        offered(view, params, PROPERTY, Dimension.PROPERTY),
        offered(view, params, CAMPAIGN, Dimension.CAMPAIGN),
    )
    steps, error, zone = await _read(view, params)
    filters = await filters_of(view, params, is_found=error is None)
    return Rendered(
        "reports/funnel.html",
        {
            "params": params,
            "steps": steps,
            "refusal": error,
            "zone": zone,
            "sites": sites,
            "campaigns": campaigns,
            "filters": filters,
            "kept": without_chip(filters, sites, campaigns),
            "ranges": LABELS,
            "help": HELP,
        },
        status=200 if error is None else error.status,
    )


async def offered(
    view: PageRequest, params: ReportParams, kind: Any, dimension: Dimension
) -> Offer | None:
    """None where there is no choice, or the user may not list them."""
    chosen = params.filters.get(dimension.column) or ()
    found = await offer(view, kind, dimension.column, chosen=chosen)
    return found if found.choices or found.is_searched else None


def without_chip(
    filters: Sequence[Filter], sites: Offer | None, campaigns: Offer | None
) -> list[Filter]:
    """Those of *filters* that no chip of the form has. *sites*, *campaigns*: the choices of its two chips."""
    chips = {Dimension.PROPERTY.column: sites, Dimension.CAMPAIGN.column: campaigns}
    return [one for one in filters if chips.get(one.name) is None]


async def _read(
    view: PageRequest, params: ReportParams
) -> tuple[Sequence[Step], ApiError | None, str]:
    """The steps, or the validation error of the parameters; and the time zone of the days."""
    try:
        whole, by_reason = await asyncio.gather(
            _report(view, params, (*_STEPS, *_INVALID.values())),
            _report(view, params, tuple(_INVALID.values()), Dimension.REASON),
        )
    except ApiError as error:
        if error.code is not ErrorCode.VALIDATION_FAILED:
            raise
        return (), error, params.zone.key
    start, end = (datetime.fromisoformat(whole[name]) for name in ("from_at", "to_at"))
    reasons = await read_no_fills(view, start, end, params.filters)
    causes = {
        Metric.FILLS: [
            Cause(translate(view, gate_of(reason).text), count) for reason, count in reasons
        ]
    }
    apart = {
        step: [
            Cause(label_of(view, Dimension.REASON, row), row[metric])
            for row in sorted(by_reason["data"], key=lambda row: -(row[metric] or 0))
            if row[metric]
        ]
        for step, metric in _INVALID.items()
    }
    shown = [one for one in _STEPS if whole["totals"][one] is not None]
    if _NAMED & params.filters.keys():  # Requests that it did not fill are of no campaign.
        shown = [one for one in shown if one is not Metric.REQUESTS]
    return steps_of(shown, whole["totals"], causes, apart), None, whole["tz"]


async def _report(
    view: PageRequest,
    params: ReportParams,
    metrics: Sequence[Metric],
    group_by: Dimension | None = None,
) -> Mapping[str, Any]:
    since, until = bounds_of(params.days, params.zone, view.now)
    found: Mapping[str, Any] = await view.call(
        endpoints.GET_DELIVERY_REPORT,
        query={
            "from": since,
            "to": until,
            "tz": params.zone.key,
            "granularity": Granularity.TOTAL,
            "group_by": group_by or "",
            "metrics": metrics,
            **{name: ",".join(values) for name, values in params.filters.items()},
        },
    )
    return found


def steps_of(
    shown: Sequence[Metric],
    totals: Mapping[str, int],
    causes: Mapping[Metric, Sequence[Cause]],
    apart: Mapping[Metric, Sequence[Cause]],
) -> list[Step]:
    """*totals*: the counts of the steps *shown*, in their order. Pure."""
    steps: list[Step] = []
    for number, metric in enumerate(shown):
        count = totals[metric]
        if number == 0:
            steps.append(Step(metric, count, of_first=1.0 if count else None))
            continue
        above = _OF.get(metric, shown[number - 1])
        above = above if above in shown else shown[number - 1]
        whole, first = totals[above], totals[shown[0]]
        steps.append(
            Step(
                metric,
                count,
                of=above,
                share=count / whole if whole > 0 else None,
                of_first=count / first if first > 0 else None,
                loss=LOSSES[metric],
                lost=max(0, whole - count),
                causes=causes.get(metric, ()),
                apart=apart.get(metric, ()),
            )
        )
    return steps
