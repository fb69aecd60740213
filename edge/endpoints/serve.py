"""
``GET /v1/serve``: which ad goes into this slot. Straight down, from memory, without waiting for anyone; but where a
capped ad could win and only Redis knows what the person saw, for 15 ms at most.
"""

from sanic import HTTPResponse, Request

from common.http.ready_answer import ReadyAnswer
from edge.context import EdgeContext
from edge.endpoints.asking import Asking
from edge.endpoints.serving import answer_counted, serve
from edge.http.call import call_of


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    found = serve(edge, call_of(request))
    return ReadyAnswer(await answer_counted(edge, found) if isinstance(found, Asking) else found)
