"""
The baseline: Sanic at its best settings, responding with constant bytes of the size of a real response.

Run as ``python -m loadtests.bench.baselines.bare_sanic PORT BODY_BYTES``. GET /v1/serve returns 200 with the body, POST
/v1/track 204.
"""

import sys
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse


def bare_app(body: bytes) -> Sanic[Any, Any]:
    app: Sanic[Any, Any] = Sanic("bare")
    app.config.ACCESS_LOG = False
    app.config.AUTO_EXTEND = False

    @app.get("/v1/serve")
    async def serve(_: Request) -> HTTPResponse:
        return HTTPResponse(body, content_type="application/json")

    @app.post("/v1/track")
    async def track(_: Request) -> HTTPResponse:
        return HTTPResponse(None, status=204)

    return app


if __name__ == "__main__":
    bare_app(b"x" * int(sys.argv[2])).run(
        host="127.0.0.1",
        port=int(sys.argv[1]),
        single_process=True,
        access_log=False,
        motd=False,
        debug=False,
    )
