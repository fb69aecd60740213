"""
``GET /v1/serve``: chooses the ad for a slot.

It answers from memory without waiting. Only where a capped ad could win and the user's counts are in Redis, it waits
15 ms at most.
"""

import asyncio

from sanic import HTTPResponse, Request

from common.contract.scenarios import SLOW_S
from common.http.raw_response import EncodedResponse
from edge.context import edge_of
from edge.request.call import call_of
from edge.serving.serve_flow import serve, serve_after_cap_lookup
from edge.serving.serve_request import ServeRequest
from edge.serving.test_controls import is_slow


async def handle(request: Request) -> HTTPResponse:
    edge = edge_of(request)
    call = call_of(request)
    await edge.serve_slice.checkpoint()
    found = serve(edge, call)
    if edge.environment.is_test and is_slow(call):
        await asyncio.sleep(SLOW_S)
    return EncodedResponse(
        await serve_after_cap_lookup(edge, found) if isinstance(found, ServeRequest) else found
    )
