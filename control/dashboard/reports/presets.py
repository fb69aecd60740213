"""Ready-made reports: a label, which is also in the catalogues, and the parameters of the address."""

from collections.abc import Mapping

from control.reporting.reports.metrics import Metric


def _listed(*metrics: Metric) -> str:
    return ",".join(metrics)


PRESETS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("Daily delivery", {"range": "28d", "compare": "on"}),
    ("Campaigns by spend", {"range": "28d", "group_by": "campaign", "chart": Metric.SPEND_CENTS}),
    (
        "Countries and devices",
        {"range": "28d", "group_by": "country,device", "chart": Metric.IMPRESSIONS},
    ),
    (
        "Conversions by campaign",
        {
            "range": "28d",
            "group_by": "campaign",
            "metrics": _listed(
                Metric.CLICKS,
                Metric.CONVERSIONS,
                Metric.CVR,
                Metric.CONVERSION_VALUE_CENTS,
                Metric.SPEND_CENTS,
            ),
            "chart": Metric.CONVERSIONS,
        },
    ),
    (
        "Viewability by slot",
        {
            "range": "28d",
            "group_by": "slot",
            "metrics": _listed(
                Metric.IMPRESSIONS, Metric.VIEWABLE_IMPRESSIONS, Metric.VIEWABLE_RATE, Metric.CTR
            ),
            "chart": Metric.IMPRESSIONS,
        },
    ),
    (
        "Video and audio quality",
        {
            "range": "28d",
            "group_by": "ad",
            "metrics": _listed(
                Metric.IMPRESSIONS,
                Metric.STARTS,
                Metric.FIRST_QUARTILE_RATE,
                Metric.MIDPOINT_RATE,
                Metric.THIRD_QUARTILE_RATE,
                Metric.COMPLETION_RATE,
                Metric.SKIP_RATE,
                Metric.ERROR_RATE,
            ),
            "chart": Metric.STARTS,
        },
    ),
    (
        "Invalid traffic by reason",
        {
            "range": "28d",
            "group_by": "reason",
            "metrics": _listed(Metric.INVALID_IMPRESSIONS, Metric.INVALID_CLICKS),
            "chart": Metric.INVALID_IMPRESSIONS,
        },
    ),
)
