"""The operation that forecasts a campaign, as the public description shows it."""

from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.campaigns.schemas import EnvironmentQuery
from control.reporting.forecast.examples import FORECAST, FORECAST_BODY
from control.reporting.forecast.schemas import ForecastAsked, ForecastPublic

FORECAST_CAMPAIGN = Operation(
    id="forecastCampaign",
    method="POST",
    path="/v1/campaigns/forecast",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Forecast a campaign",
    description=(
        "What a campaign that does not exist yet would find and deliver: the body is that of creating one. Requests "
        "of the period are expected as they were in the last four weeks by the hour of the week, who asks is drawn "
        "from recorded decisions, and each is decided again with the campaigns that run now, their budgets and their "
        "plans. Nothing is created.\n\n"
        "In impressions; each number has an interval that should hold nineteen times of twenty. Its own frequency "
        "caps and goals in clicks or conversions are not counted in, nor are goals of others. Where there was too "
        "little traffic, it says so."
    ),
    auth=(Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN),
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
