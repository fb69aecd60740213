"""The forecast of a campaign, if the API offers it; made only on request, because it takes seconds."""

from collections.abc import Mapping
from typing import Any

from common.values.errors import ApiError
from control.dashboard.page_request import PageRequest

FORECAST = "forecastCampaign"
LIMITS = {
    "traffic": "Limited by matching traffic.",
    "budget": "Limited by its budget.",
    "goal": "Limited by its goal.",
}
SPANS = (
    ("matched", "Matches the targeting"),
    ("booked", "Taken by higher-ranked campaigns"),
    ("available", "Available"),
    ("contested", "Contested by other campaigns"),
    ("delivered", "Expected delivery"),
)
"""Fields of the response, in impressions, and their labels."""


def is_offered(view: PageRequest) -> bool:
    return FORECAST in view.surface.endpoints and view.can(FORECAST)


async def forecast_of(view: PageRequest, body: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """*body*: as for creating a campaign. Returns the API's message where it refuses."""
    endpoint = view.surface.endpoints[FORECAST]
    try:
        found: Mapping[str, Any] = await view.call(endpoint.operation, body=dict(body))
    except ApiError as error:
        return error.message
    return found
