"""The operation that forecasts a campaign, as the public description shows it."""

from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.campaigns.schemas import EnvironmentQuery
from control.reporting.forecast.examples import FORECAST, FORECAST_BODY
from control.reporting.forecast.schemas import ForecastAsked, ForecastPublic

FORECAST_CAMPAIGN = Operation(
    id="forecastCampaign",
    method="POST",
    path="/v1/campaigns/forecast",
    tag="Campaigns",
    summary="Forecast a campaign",
    description=(
        "Forecasts the traffic and delivery of a campaign before it is created: the body is the same as for creating "
        "one. The expected requests are those of the last four weeks by hour of the week, the visitors are drawn from "
        "recorded decisions, and each decision is repeated with the campaigns that run now, their budgets and their "
        "plans. Nothing is created.\n"
        "\n"
        "Numbers are impressions, each with an interval that should contain the true value 19 times out of 20. The "
        "campaign's own frequency caps, its goals in clicks or conversions, and the goals of other campaigns are not "
        "considered. `insufficient_traffic` says if there was too little traffic."
    ),
    needs={
        Auth.INTEGRATION_KEY: Permission.CAMPAIGN_READ,
        Auth.ACCESS_TOKEN: Permission.CAMPAIGN_READ,
    },
    query=EnvironmentQuery,
    body_bytes=LARGE_BODY_BYTES,
    body=ForecastAsked,
    body_example=FORECAST_BODY,
    answers=(Answer(200, "The forecast.", ForecastPublic, example=FORECAST),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.WRONG_ENVIRONMENT, ErrorCode.UNAVAILABLE),
    reads=True,
)
