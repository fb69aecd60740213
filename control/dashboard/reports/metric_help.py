"""What each metric means, for readers of pages. English, also in the catalogues; the API has its own descriptions."""

from control.dashboard.reports.metrics import INVALID_SHARE
from control.reporting.reports.metrics import Metric

HELP: dict[str, str] = {
    Metric.REQUESTS: "How often a page or an app asked for an ad. Not available by source or reason.",
    Metric.FILLS: "Requests that got an ad.",
    Metric.NO_FILLS: "Requests that got no ad. The funnel shows why.",
    Metric.FILL_RATE: "Fills divided by requests.",
    Metric.IMPRESSIONS: "Ads that were shown, without invalid traffic.",
    Metric.VIEWABLE_IMPRESSIONS: "Impressions that were in view, by the viewability rule of the property.",
    Metric.CLICKS: "Clicks on ads, without invalid traffic.",
    Metric.CONVERSIONS: "Conversions after a click or a view, without invalid traffic.",
    Metric.CLICK_THROUGH_CONVERSIONS: "Conversions attributed to a click.",
    Metric.VIEW_THROUGH_CONVERSIONS: "Conversions attributed to a view without a click.",
    Metric.INVALID_IMPRESSIONS: "Impressions that were not counted, for example of robots.",
    Metric.INVALID_CLICKS: "Clicks that were not counted, for example repeated ones.",
    Metric.SPEND_CENTS: "Charges for impressions, clicks and conversions. Flat rates are in the wallet instead.",
    Metric.EARNINGS_CENTS: "The share of the spend that goes to the properties.",
    Metric.CONVERSION_VALUE_CENTS: "Value of the conversions, as it was reported.",
    Metric.CTR: "Clicks divided by impressions.",
    Metric.CVR: "Conversions divided by clicks.",
    Metric.ECPM_CENTS: "Spend per thousand impressions.",
    Metric.STARTS: "Video and audio ads that began to play.",
    Metric.FIRST_QUARTILES: "Video and audio ads that played a quarter of their length.",
    Metric.MIDPOINTS: "Video and audio ads that played half of their length.",
    Metric.THIRD_QUARTILES: "Video and audio ads that played three quarters of their length.",
    Metric.COMPLETES: "Video and audio ads that played to the end.",
    Metric.SKIPS: "Video and audio ads that were skipped.",
    Metric.ERRORS: "Video and audio ads that the player could not play.",
    Metric.VIEWABLE_RATE: "Viewable impressions divided by impressions.",
    Metric.START_RATE: "Media starts divided by impressions.",
    Metric.FIRST_QUARTILE_RATE: "First quartiles divided by media starts.",
    Metric.MIDPOINT_RATE: "Midpoints divided by media starts.",
    Metric.THIRD_QUARTILE_RATE: "Third quartiles divided by media starts.",
    Metric.COMPLETION_RATE: "Completes divided by media starts.",
    Metric.SKIP_RATE: "Skips divided by media starts.",
    Metric.ERROR_RATE: "Errors divided by errors and media starts together.",
    INVALID_SHARE.label: "Invalid impressions and clicks, divided by all of them.",
}
"""By the name of a metric, or by the label of a figure of pages."""
