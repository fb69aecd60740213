"""
The stored sums and the metrics of reports, each declared once.

The wire models, the SQL, rollups, exports and pages follow from these declarations. What is written by hand beside them
(columns, translations, docs, the client library) is compared with them in tests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from operator import sub
from typing import Self

from common.values.enums import Attribution, EventKind, QualitySignal
from common.values.money import micros_to_cents


@dataclass(frozen=True, slots=True)
class CountedDecisions:
    """Decisions of an hour; with *outcome* only those that ended so."""

    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class CountedEvents:
    """
    Events of *kind* in an hour, or the total of another *column* over them.

    Only valid ones, where a retraction counts -1; or only invalid ones.
    """

    kind: EventKind | QualitySignal
    is_valid: bool = True
    attribution: Attribution | None = None
    column: str = "count"


@dataclass(frozen=True, slots=True)
class ChargedMicros:
    """Charges of an hour's events; only events of `EventKind` are charged."""


@unique
class Sum(StrEnum):
    """
    The stored sums, all whole numbers, each with what an hourly row adds to it; its name is its column of rollups.

    Metrics are computed from sums; metrics themselves are never added.
    """

    of: CountedDecisions | CountedEvents | ChargedMicros

    def __new__(cls, name: str, of: CountedDecisions | CountedEvents | ChargedMicros) -> Self:
        member = str.__new__(cls, name)
        member._value_, member.of = name, of
        return member

    REQUESTS = "requests", CountedDecisions()
    FILLS = "fills", CountedDecisions(outcome="fill")
    IMPRESSIONS = "impressions", CountedEvents(EventKind.IMPRESSION)
    VIEWABLE = "viewable", CountedEvents(QualitySignal.VIEWABLE)
    CLICKS = "clicks", CountedEvents(EventKind.CLICK)
    CONVERSIONS = "conversions", CountedEvents(EventKind.CONVERSION)
    CLICK_THROUGH = (
        "click_through",
        CountedEvents(EventKind.CONVERSION, attribution=Attribution.CLICK_THROUGH),
    )
    VIEW_THROUGH = (
        "view_through",
        CountedEvents(EventKind.CONVERSION, attribution=Attribution.VIEW_THROUGH),
    )
    INVALID_IMPRESSIONS = "invalid_impressions", CountedEvents(EventKind.IMPRESSION, is_valid=False)
    INVALID_CLICKS = "invalid_clicks", CountedEvents(EventKind.CLICK, is_valid=False)
    CHARGED_MICROS = "charged_micros", ChargedMicros()
    EARNED_PARTS = "earned_parts", ChargedMicros()
    """Hundredths of micros: each hour's charge times the percent of its property at that time."""
    VALUE_CENTS = "value_cents", CountedEvents(EventKind.CONVERSION, column="value_cents")
    STARTS = "starts", CountedEvents(QualitySignal.START)
    FIRST_QUARTILES = "first_quartiles", CountedEvents(QualitySignal.FIRST_QUARTILE)
    MIDPOINTS = "midpoints", CountedEvents(QualitySignal.MIDPOINT)
    THIRD_QUARTILES = "third_quartiles", CountedEvents(QualitySignal.THIRD_QUARTILE)
    COMPLETES = "completes", CountedEvents(QualitySignal.COMPLETE)
    SKIPS = "skips", CountedEvents(QualitySignal.SKIP)
    ERRORS = "errors", CountedEvents(QualitySignal.ERROR)


OF_DECISIONS = frozenset(one for one in Sum if isinstance(one.of, CountedDecisions))
_PERCENT = 100
_RATIO_DIGITS = 6


class Unit(StrEnum):
    COUNT = "count"
    CENTS = "cents"
    RATIO = "ratio"
    """1.0 is 100 %."""


@dataclass(frozen=True, slots=True)
class Formula:
    """
    Computes a metric from its sums, rounded once: cents down, ratios to six decimal places.

    ``compute``: None where the metric equals its only sum. ``sort_sql``: the same unrounded, of the sums' expressions.
    """

    unit: Unit
    compute: Callable[..., int | float | None] | None = None
    sort_sql: str = "{0}"


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, _RATIO_DIGITS) if whole > 0 else None


def _share(part: int, rest: int) -> float | None:
    return _ratio(part, part + rest)


def _earnings(parts: int) -> int:
    return micros_to_cents(parts // _PERCENT)


def _ecpm(micros: int, impressions: int) -> int | None:
    return micros_to_cents(micros * 1000 // impressions) if impressions > 0 else None


_QUOTIENT_SQL = "cast({0} as numeric) / nullif(greatest({1}, 0), 0)"
_SHARE_SQL = "cast({0} as numeric) / nullif(greatest({0} + {1}, 0), 0)"
_COUNT = Formula(Unit.COUNT)
_DIFFERENCE = Formula(Unit.COUNT, sub, "{0} - {1}")
_RATIO = Formula(Unit.RATIO, _ratio, _QUOTIENT_SQL)
_SHARE = Formula(Unit.RATIO, _share, _SHARE_SQL)
_CENTS = Formula(Unit.CENTS)
_CENTS_OF_MICROS = Formula(Unit.CENTS, micros_to_cents)
_CENTS_OF_EARNINGS = Formula(Unit.CENTS, _earnings)
_CENTS_PER_THOUSAND = Formula(Unit.CENTS, _ecpm, _QUOTIENT_SQL)


@unique
class Metric(StrEnum):
    """A figure of a report."""

    label: str
    """English, and in the catalogues of pages."""
    formula: Formula
    sums: tuple[Sum, ...]
    description: str
    """Of the field in the API, and of the metric's row in ``docs/reports.md``."""
    help_text: str
    """What it means, for readers of pages: English, and in the catalogues."""

    def __new__(  # noqa: PLR0917 - a metric's declaration, in the order of its lines
        cls,
        name: str,
        label: str,
        formula: Formula,
        sums: tuple[Sum, ...],
        description: str,
        help_text: str,
    ) -> Self:
        member = str.__new__(cls, name)
        member._value_, member.label, member.formula = name, label, formula
        member.sums, member.description, member.help_text = sums, description, help_text
        return member

    @property
    def unit(self) -> Unit:
        return self.formula.unit

    @property
    def without_events(self) -> int | float | None:
        """Its value where nothing was counted: 0, or None where it has a divisor."""
        return figure_of(self, dict.fromkeys(Sum, 0))

    # In the order in which pages offer them: what it is made of, its description, its help.
    # fmt: off
    REQUESTS = ("requests", "Requests", _COUNT, (Sum.REQUESTS,),
        ("Ad requests. Null when grouped or filtered by `source` or `reason`, which unfilled decisions do not have; "
         "the same applies to `fills`, `no_fills` and `fill_rate`."),
        "How often a page or an app requested an ad. Not available by source or reason.")
    FILLS = ("fills", "Fills", _COUNT, (Sum.FILLS,),
        "Requests that were filled.",
        "Requests that got an ad.")
    NO_FILLS = ("no_fills", "Unfilled", _DIFFERENCE, (Sum.REQUESTS, Sum.FILLS),
        "Requests that were not filled; by campaign or ad they are in the row with the id null.",
        "Requests that got no ad. The funnel shows why.")
    FILL_RATE = ("fill_rate", "Fill rate", _RATIO, (Sum.FILLS, Sum.REQUESTS),
        "`fills` divided by `requests`, 0 to 1; null without requests.",
        "Fills divided by requests.")
    IMPRESSIONS = ("impressions", "Impressions", _COUNT, (Sum.IMPRESSIONS,),
        "Valid impressions; a retracted one counts -1 in the hour of its retraction.",
        "Ads that were shown, without invalid traffic.")
    VIEWABLE_IMPRESSIONS = ("viewable_impressions", "Viewable impressions", _COUNT, (Sum.VIEWABLE,),
        "Impressions that the page reported as viewable, by the viewability rule of the property.",
        "Impressions that were in view, by the viewability rule of the property.")
    CLICKS = ("clicks", "Clicks", _COUNT, (Sum.CLICKS,),
        "Valid clicks; a retracted one counts -1.",
        "Clicks on ads, without invalid traffic.")
    CONVERSIONS = ("conversions", "Conversions", _COUNT, (Sum.CONVERSIONS,),
        "Valid conversions with any attribution; a retracted one counts -1.",
        "Conversions after a click or a view, without invalid traffic.")
    CLICK_THROUGH_CONVERSIONS = ("click_through_conversions", "Conversions after a click", _COUNT, (Sum.CLICK_THROUGH,),
        "Conversions attributed to a click.",
        "Conversions attributed to a click.")
    VIEW_THROUGH_CONVERSIONS = ("view_through_conversions", "Conversions after a view", _COUNT, (Sum.VIEW_THROUGH,),
        "Conversions attributed to a view.",
        "Conversions attributed to a view without a click.")
    INVALID_IMPRESSIONS = ("invalid_impressions", "Invalid impressions", _COUNT, (Sum.INVALID_IMPRESSIONS,),
        "Impressions rejected by the invalid-traffic filter.",
        "Impressions that were not counted, for example those of bots.")
    INVALID_CLICKS = ("invalid_clicks", "Invalid clicks", _COUNT, (Sum.INVALID_CLICKS,),
        "Clicks rejected by the invalid-traffic filter.",
        "Clicks that were not counted, for example repeated ones.")
    SPEND_CENTS = ("spend_cents", "Spend", _CENTS_OF_MICROS, (Sum.CHARGED_MICROS,),
        ("Charges for the events, added in micros and rounded down once. Flat rates buy days, not events: they are "
         "in the wallet and on invoices."),
        "Charges for impressions, clicks and conversions. Flat rates are in the wallet instead.")
    EARNINGS_CENTS = ("earnings_cents", "Earnings", _CENTS_OF_EARNINGS, (Sum.EARNED_PARTS,),
        "The properties' shares of spend, at the share in force at the end of each hour; rounded like spend.",
        "The share of the spend that goes to the properties.")
    CONVERSION_VALUE_CENTS = ("conversion_value_cents", "Conversion value", _CENTS, (Sum.VALUE_CENTS,),
        "Value of valid conversions, as reported; currencies are not converted.",
        "Value of the conversions, as reported.")
    CTR = ("ctr", "Click rate", _RATIO, (Sum.CLICKS, Sum.IMPRESSIONS),
        "`clicks` divided by `impressions`; null without impressions.",
        "Clicks divided by impressions.")
    CVR = ("cvr", "Conversion rate", _RATIO, (Sum.CONVERSIONS, Sum.CLICKS),
        "`conversions` divided by `clicks`; null without clicks.",
        "Conversions divided by clicks.")
    ECPM_CENTS = ("ecpm_cents", "eCPM", _CENTS_PER_THOUSAND, (Sum.CHARGED_MICROS, Sum.IMPRESSIONS),
        "Spend per thousand impressions, rounded down; null without impressions.",
        "Spend per thousand impressions.")
    STARTS = ("starts", "Media starts", _COUNT, (Sum.STARTS,),
        "Video and audio ads that began to play, as players reported.",
        "Video and audio ads that began to play.")
    FIRST_QUARTILES = ("first_quartiles", "First quartiles", _COUNT, (Sum.FIRST_QUARTILES,),
        "Video and audio ads that played their first quarter.",
        "Video and audio ads that played a quarter of their length.")
    MIDPOINTS = ("midpoints", "Midpoints", _COUNT, (Sum.MIDPOINTS,),
        "Video and audio ads that played their first half.",
        "Video and audio ads that played half of their length.")
    THIRD_QUARTILES = ("third_quartiles", "Third quartiles", _COUNT, (Sum.THIRD_QUARTILES,),
        "Video and audio ads that played three quarters.",
        "Video and audio ads that played three quarters of their length.")
    COMPLETES = ("completes", "Completes", _COUNT, (Sum.COMPLETES,),
        "Video and audio ads that played to their end.",
        "Video and audio ads that played to the end.")
    SKIPS = ("skips", "Skips", _COUNT, (Sum.SKIPS,),
        "Video and audio ads that the viewer skipped.",
        "Video and audio ads that were skipped.")
    ERRORS = ("errors", "Errors", _COUNT, (Sum.ERRORS,),
        "Video and audio ads that the player could not play.",
        "Video and audio ads that the player could not play.")
    VIEWABLE_RATE = ("viewable_rate", "Viewable rate", _RATIO, (Sum.VIEWABLE, Sum.IMPRESSIONS),
        "`viewable_impressions` divided by `impressions`; null without impressions.",
        "Viewable impressions divided by impressions.")
    START_RATE = ("start_rate", "Start rate", _RATIO, (Sum.STARTS, Sum.IMPRESSIONS),
        "`starts` divided by `impressions`; null without impressions.",
        "Media starts divided by impressions.")
    FIRST_QUARTILE_RATE = ("first_quartile_rate", "First quartile rate", _RATIO, (Sum.FIRST_QUARTILES, Sum.STARTS),
        "`first_quartiles` divided by `starts`; null without starts.",
        "First quartiles divided by media starts.")
    MIDPOINT_RATE = ("midpoint_rate", "Midpoint rate", _RATIO, (Sum.MIDPOINTS, Sum.STARTS),
        "`midpoints` divided by `starts`; null without starts.",
        "Midpoints divided by media starts.")
    THIRD_QUARTILE_RATE = ("third_quartile_rate", "Third quartile rate", _RATIO, (Sum.THIRD_QUARTILES, Sum.STARTS),
        "`third_quartiles` divided by `starts`; null without starts.",
        "Third quartiles divided by media starts.")
    COMPLETION_RATE = ("completion_rate", "Completion rate", _RATIO, (Sum.COMPLETES, Sum.STARTS),
        "`completes` divided by `starts`; null without starts.",
        "Completes divided by media starts.")
    SKIP_RATE = ("skip_rate", "Skip rate", _RATIO, (Sum.SKIPS, Sum.STARTS),
        "`skips` divided by `starts`; null without starts.",
        "Skips divided by media starts.")
    ERROR_RATE = ("error_rate", "Error rate", _SHARE, (Sum.ERRORS, Sum.STARTS),
        "`errors` divided by `errors` and `starts` together; null without both.",
        "Errors divided by errors and media starts together.")
    # fmt: on


METRICS = {one.value: one for one in Metric}
"""By name; `Metric` itself is called with a whole declaration."""
USUAL_METRICS = (
    Metric.IMPRESSIONS,
    Metric.CLICKS,
    Metric.CTR,
    Metric.CONVERSIONS,
    Metric.SPEND_CENTS,
)
"""The default where none are named."""


def figure_of(metric: Metric, sums: Mapping[Sum, int]) -> int | float | None:
    """None where the sums are not available, and for a ratio whose divisor is not above 0."""
    (figure,) = figures_of(metric, {name: (value,) for name, value in sums.items()}, 1)
    return figure


def figures_of(
    metric: Metric, sums: Mapping[Sum, Sequence[int]], size: int
) -> list[int | float | None]:
    """`figure_of` for *size* rows; *sums* has their columns."""
    if not sums.keys() >= set(metric.sums):
        return [None] * size
    columns = [sums[name] for name in metric.sums]
    compute = metric.formula.compute
    return list(columns[0] if compute is None else map(compute, *columns))
