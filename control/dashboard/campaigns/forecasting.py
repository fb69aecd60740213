"""What a campaign may expect, where the API forecasts: asked for on purpose, for it takes seconds."""

from collections.abc import Mapping
from typing import Any

from common.values.errors import ApiError
from control.dashboard.page_request import PageRequest

FORECAST = "forecastCampaign"
LIMITS = {
    "traffic": "What limits it is the traffic that fits.",
    "budget": "What limits it is its budget.",
    "goal": "What limits it is its goal.",
}
SPANS = (
    ("matched", "Fits the targeting"),
    ("booked", "Taken by campaigns before it"),
    ("available", "Left for it"),
    ("contested", "Of that, others want too"),
    ("delivered", "It should deliver"),
)
"""Fields of the answer, in impressions, and what they are called."""


def is_offered(view: PageRequest) -> bool:
    return FORECAST in view.surface.endpoints and view.may(FORECAST)


async def forecast_of(view: PageRequest, body: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """*body*: as of a campaign that is made. The API's words where it refuses."""
    endpoint = view.surface.endpoints[FORECAST]
    try:
        found: Mapping[str, Any] = await view.call(endpoint.operation, body=dict(body))
    except ApiError as error:
        return error.message
    return found
