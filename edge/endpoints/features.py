"""``GET /v1/features``: the configuration that a client library needs of its property; cacheable."""

from collections.abc import Iterable

import orjson
from sanic import HTTPResponse, Request

from common.contract.scenarios import ERROR, FEATURES_SCENARIOS, KILL_SWITCH
from common.http.responses import JSON
from edge.admission.keys import RouteGroup, admit
from edge.context import EdgeContext
from edge.request.call import call_of
from edge.request.libraries import LIBRARIES
from edge.serving.features_cache import TTL_S, Features, features_of
from edge.serving.test_controls import fail, parse_test_controls

_NEWER_THAN_ANY = "999.0.0"


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    call, now_ms = call_of(request), edge.clock.now_ms()
    admission = admit(edge, call, RouteGroup.FEATURES, now_ms)
    features = features_of(admission.snapshot, admission.property)
    trial = parse_test_controls(edge, call, FEATURES_SCENARIOS, now_ms)
    if trial is not None and trial.scenario is not None:
        return _tried(features, trial.scenario)
    headers = {
        "ETag": features.etag,
        "Vary": "X-Service-Key",
        "Cache-Control": f"{'public, ' if admission.key_in_url else ''}max-age={TTL_S}",
    }
    if _matches(request.headers.getall("if-none-match", ()), features.etag):
        return HTTPResponse(None, status=304, headers=headers)
    return HTTPResponse(features.body, headers=headers, content_type=JSON)


def _tried(features: Features, scenario: str) -> HTTPResponse:
    """*features* as a test scenario changes them; not cacheable."""
    if scenario == ERROR:
        fail()
    values = orjson.loads(features.body)
    if scenario == KILL_SWITCH:
        values["sdk"]["kill_switch"] = True
    else:
        values["sdk"]["min"] = dict.fromkeys(LIBRARIES, _NEWER_THAN_ANY)
    headers = {"Cache-Control": "no-store"}
    return HTTPResponse(orjson.dumps(values), headers=headers, content_type=JSON)


def _matches(given: Iterable[str], etag: str) -> bool:
    """Whether ``If-None-Match`` contains *etag*: a list of tags or ``*``; weak tags are compared as strong ones."""
    tags = [tag.strip().removeprefix("W/") for value in given for tag in value.split(",")]
    return "*" in tags or etag in tags
