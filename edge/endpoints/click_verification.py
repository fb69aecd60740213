"""``POST /v1/clicks/verify``: whether a click id is one that this service signed."""

from itertools import islice

from sanic import HTTPResponse, Request

from common.http.responses import json_response
from common.values.errors import MAX_DETAILS, Detail
from common.values.messages import Message
from edge.admission.keys import RouteGroup, admit_server
from edge.context import EdgeContext
from edge.request.call import call_of
from edge.tracking.track_body import parse_object, refused_for

_EXAMPLE = '{"click_id": sa_click_id}'
_FIELD = "click_id"
_MAX_CHARS = 128


async def handle(request: Request) -> HTTPResponse:
    """Reads no store. Counts against the key's track rate."""
    edge: EdgeContext = request.app.ctx.edge
    admit_server(edge, call_of(request), RouteGroup.TRACK, edge.clock.now_ms())
    click = edge.click_ids.find(parse_click_id(request.body))
    valid = click is not None and click.is_signed
    return json_response(
        {"valid": valid, "id": str(click.id) if click is not None and valid else None}
    )


def parse_click_id(raw: bytes) -> str:
    """The click id, of any form. Raises `Refused`."""
    values = parse_object(raw, _EXAMPLE)
    faults = [
        Detail(
            name,
            "unknown_field",
            Message("The field {name} does not exist. Remove it.", name=repr(name[:64])),
        )
        for name in islice(values.keys() - {_FIELD}, MAX_DETAILS)
    ]
    click_id = values.get(_FIELD)
    if not (isinstance(click_id, str) and 0 < len(click_id) <= _MAX_CHARS):
        message = Message("Send click_id, the unchanged sa_click_id of the landing page's URL.")
        faults.append(Detail(_FIELD, "required" if click_id is None else "invalid", message))
        raise refused_for(faults)
    if faults:
        raise refused_for(faults)
    return click_id
