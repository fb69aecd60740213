"""All endpoints of the control plane."""

from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.contract.operation import UNAUTHENTICATED_BODY_BYTES, Answer, Operation
from common.http.app import bare_app
from common.http.responses import JSON
from common.http.router import READING
from control.api.call import Endpoint
from control.api.context import ControlContext
from control.api.forbidden_to_keys import add_reserved
from control.api.health import add_health
from control.api.http_dispatch import add_endpoint
from control.api.openapi import PublishedDescription
from control.billing.invoicing import endpoints as invoicing
from control.billing.payouts import endpoints as payouts
from control.billing.wallet import endpoints as wallet
from control.dashboard.ads.ad_preview import add_ad_frames
from control.dashboard.dashboard import identify
from control.dashboard.docs.pages import add_docs
from control.dashboard.embed.page import add_embed_page
from control.dashboard.embed.window import PREFIX, identify_window
from control.dashboard.embed_sessions import endpoints as embed_sessions
from control.dashboard.error_page import add_missing_page
from control.dashboard.page_registry import SCREENS
from control.dashboard.routing import PageRoutes
from control.dashboard.static_pages import add_pages
from control.delivery.edge_status import endpoints as edge_status
from control.demand.ads import endpoints as ads
from control.demand.assets import endpoints as assets
from control.demand.assets.uploads import add_uploads
from control.demand.campaigns import endpoints as campaigns
from control.events.events_api import endpoints as events_api
from control.events.events_api.stream import STREAM_EVENTS, add_stream
from control.events.reconciliation import endpoints as reconciliation
from control.foundation.http.inputs import parse_query
from control.foundation.settings import ControlSettings
from control.identity.account_settings import endpoints as account
from control.identity.accounts import endpoints as accounts
from control.identity.audit_log import endpoints as audit_log
from control.identity.email_verification import endpoints as email_verification
from control.identity.me import endpoints as me
from control.identity.members import endpoints as members
from control.identity.own_data import endpoints as own_data
from control.identity.passwords import endpoints as passwords
from control.identity.privacy_requests import endpoints as privacy_requests
from control.identity.sessions import endpoints as sessions
from control.identity.two_factor import endpoints as two_factor
from control.identity.users import endpoints as users
from control.inventory.api_keys import endpoints as keys
from control.inventory.domain_verification import endpoints as domain_verification
from control.inventory.properties import endpoints as properties
from control.inventory.signing_secrets import endpoints as signing_secrets
from control.inventory.slots import endpoints as slots
from control.reporting.decision_log import endpoints as decision_log
from control.reporting.exports import endpoints as exports
from control.reporting.exports.downloads import add_downloads
from control.reporting.forecast import endpoints as forecast
from control.reporting.reports import endpoints as reports
from control.reporting.views import endpoints as report_views

ENDPOINTS: tuple[Endpoint, ...] = (
    *accounts.ENDPOINTS,
    *users.ENDPOINTS,
    *sessions.ENDPOINTS,
    *account.ENDPOINTS,
    *members.ENDPOINTS,
    *audit_log.ENDPOINTS,
    *privacy_requests.ENDPOINTS,
    *passwords.ENDPOINTS,
    *email_verification.ENDPOINTS,
    *two_factor.ENDPOINTS,
    *me.ENDPOINTS,
    *own_data.ENDPOINTS,
    *properties.ENDPOINTS,
    *domain_verification.ENDPOINTS,
    *signing_secrets.ENDPOINTS,
    *slots.ENDPOINTS,
    *keys.ENDPOINTS,
    *campaigns.ENDPOINTS,
    *forecast.ENDPOINTS,
    *ads.ENDPOINTS,
    *wallet.ENDPOINTS,
    *invoicing.ENDPOINTS,
    *payouts.ENDPOINTS,
    *assets.ENDPOINTS,
    *decision_log.ENDPOINTS,
    *reports.ENDPOINTS,
    *exports.ENDPOINTS,
    *report_views.ENDPOINTS,
    *events_api.ENDPOINTS,
    *embed_sessions.ENDPOINTS,
    *edge_status.ENDPOINTS,
    *reconciliation.ENDPOINTS,
)

GET_DESCRIPTION = Operation(
    id="getDescription",
    method="GET",
    path="/v1/openapi.json",
    tag="Description",
    summary="Get the OpenAPI description",
    description="The OpenAPI 3.1 description of both planes, with this deployment's URLs.",
    answers=(Answer(200, "The OpenAPI document."),),
)

DASHBOARD = PageRoutes(
    prefix="",
    screens={screen.name: screen for screen in SCREENS},
    endpoints={endpoint.operation.id: endpoint for endpoint in ENDPOINTS},
    identify=identify,
)

WINDOWS = PageRoutes(
    prefix=PREFIX,
    screens=DASHBOARD.screens,
    endpoints=DASHBOARD.endpoints,
    identify=identify_window,
)
"""The same screens inside other sites' pages; each window has only its component's screens."""

OPERATIONS: tuple[Operation, ...] = (
    *(endpoint.operation for endpoint in ENDPOINTS),
    STREAM_EVENTS,
    GET_DESCRIPTION,
)


def create_app(control: ControlContext) -> Sanic[Any, Any]:
    app = bare_app(
        "placard-control",
        max_body_bytes=UNAUTHENTICATED_BODY_BYTES,
        answer_headers=_answer_headers(control.settings),
    )
    app.config.CONNECTIONS.max_per_address = control.settings.connections_per_address
    app.config.CONNECTIONS.proxies_count = control.settings.trusted_proxies
    for endpoint in ENDPOINTS:
        add_endpoint(app, control, endpoint)
    add_uploads(app, control)
    add_downloads(app, control)
    add_stream(app, control)
    add_reserved(app, control, OPERATIONS)
    _add_description(app, control)
    add_health(app, control)
    add_pages(app, control)
    DASHBOARD.add_to(app, control)
    add_ad_frames(app, control)
    add_embed_page(app, control, WINDOWS.screens)
    WINDOWS.add_to(app, control)
    add_missing_page(app, control.settings)
    return app


def _answer_headers(settings: ControlSettings) -> dict[str, str]:
    """Headers of every response. With https, clients must use https for a year (HSTS)."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if settings.control_url.startswith("https://"):
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return headers


def _add_description(app: Sanic[Any, Any], control: ControlContext) -> None:
    settings = control.settings
    description = PublishedDescription(
        OPERATIONS,
        control_url=settings.control_url,
        edge_live_url=settings.edge_live_url,
        edge_test_url=settings.edge_test_url,
    )

    async def answer(request: Request) -> HTTPResponse:
        parse_query(GET_DESCRIPTION, request)
        headers = {"Cache-Control": "max-age=300"}
        return HTTPResponse(await description.read(), headers=headers, content_type=JSON)

    app.add_route(answer, GET_DESCRIPTION.path, methods=READING, name=GET_DESCRIPTION.id)
    add_docs(app, description)
