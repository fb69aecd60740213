"""Paths and methods that no route takes."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sanic import Request
from sanic.response import HTTPResponse

from common.http.app import bare_app
from common.http.listen import Listener
from common.http.responses import json_response
from tests.support.raw_http import ask, get, listening


@pytest_asyncio.fixture(loop_scope="session")
async def listener() -> AsyncIterator[Listener]:
    app = bare_app("routes", max_body_bytes=1024)

    async def read(_: Request, id: str) -> HTTPResponse:  # noqa: A002 - the path's name for it
        return json_response({"id": id})

    async def change(_: Request, id: str) -> HTTPResponse:  # noqa: A002 - as above
        return json_response({"changed": id})

    app.add_route(read, "/things/<id:str>", methods=["GET"], name="read")
    app.add_route(change, "/things/<id:str>", methods=["PATCH"], name="change")
    async with listening(app) as running:
        yield running


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "BREW"])
async def test_a_wrong_method_of_a_resource_lists_the_allowed_methods(
    listener: Listener, method: str
) -> None:
    answer = await ask(listener.port, get("/things/7", method=method))

    assert (answer.status, answer.headers["allow"]) == (405, "GET, PATCH")


async def test_one_trailing_slash_is_forgiven(listener: Listener) -> None:
    assert (await ask(listener.port, get("/things/7/"))).status == 200


@pytest.mark.parametrize("count", [2, 7000])
async def test_many_trailing_slashes_are_only_not_found(listener: Listener, count: int) -> None:
    answer = await ask(listener.port, get("/things/7" + "/" * count))

    assert (answer.status, answer.code) == (404, "not_found")
