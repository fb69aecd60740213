"""``POST /v1/audio/stitch``: ads for audio content, as a plan, a VMAP document, a playlist or a file."""

import asyncio

from sanic import HTTPResponse, Request

from common.contract.scenarios import SLOW_S
from common.http.json_body import parse_json
from common.http.responses import JSON
from common.values.errors import Unavailable
from common.values.messages import Message
from edge.admission.keys import RouteGroup, admit_server
from edge.audio.parts import AudioParts
from edge.context import EdgeContext
from edge.request.call import call_of
from edge.serving.slots import get_slot
from edge.serving.test_controls import is_slow, refuse_simulated
from edge.stitching.stitch import stitch
from edge.stitching.stitch_body import find_named_slot, parse_stitch_body


async def handle(request: Request) -> HTTPResponse:
    """Counts as one request against the key's rate of serve."""
    edge: EdgeContext = request.app.ctx.edge
    call = call_of(request)
    admission = admit_server(edge, call, RouteGroup.SERVE, edge.clock.now_ms())
    refuse_simulated(edge, call)
    fields = parse_json(request.body)
    slot = find_named_slot(fields)
    if slot is not None:  # an unknown one is reported before faults of other fields
        get_slot(admission.snapshot, admission.property, slot)
    body = parse_stitch_body(fields, edge.settings.source_networks)
    if edge.environment.is_test and is_slow(call):
        await asyncio.sleep(SLOW_S)
    answer = await stitch(edge, parts_of(edge), call, admission, fields, body)
    return HTTPResponse(answer, headers={"Cache-Control": "no-store"}, content_type=JSON)


def parts_of(edge: EdgeContext) -> AudioParts:
    if edge.audio is None:
        raise Unavailable(Message("This edge has no audio. Try again later."), retry_after_s=60)
    return edge.audio
