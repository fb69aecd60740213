"""Pages of any origin may call the edge, and may read its refusals."""

import pytest

from common.contract.edge import EDGE_OPERATIONS
from tests.support.builders import a_key, a_property, a_slot, a_snapshot
from tests.support.edge import running_edge
from tests.support.raw_http import exchange

PATHS = sorted(
    {(o.path.replace("{token}", "x"), o.method) for o in EDGE_OPERATIONS}
    | {("/livez", "GET"), ("/assets/a/b/c.png", "GET")},
)


@pytest.mark.parametrize(("path", "method"), PATHS)
async def test_a_preflight_is_answered_without_a_key(path: str, method: str) -> None:
    async with running_edge(None) as edge:
        answer = await edge.get(
            path,
            "Origin: https://shop.example",
            f"Access-Control-Request-Method: {method}",
            method="OPTIONS",
        )
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-max-age"] == "86400"
    assert method in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"]
    assert {"X-Service-Key", "If-None-Match"} <= set(allowed.split(", "))


@pytest.mark.parametrize("path", ["/v1/serve", "/v1/nothing", "/v1/click/x"])
async def test_refusals_are_readable_from_any_origin(path: str) -> None:
    async with running_edge(a_snapshot()) as edge:
        answer = await edge.get(path, "Origin: https://shop.example")
    assert answer.status >= 400
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["timing-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "X-Request-Id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("fast_path", [True, False])
async def test_no_refusal_may_be_cached(*, fast_path: bool) -> None:
    text, key = a_key()
    pk = f"X-Service-Key: {text.text}"
    requests = [
        (401, "/v1/serve?slot=top", ()),
        (401, "/v1/features", ("X-Service-Key: pk_live_nobody",)),
        (403, "/v1/serve?slot=top&debug=1", (pk,)),
        (404, "/v1/serve?slot=nowhere", (pk,)),
        (404, "/v1/impression/x.gif", ()),
        (404, "/v1/click/x", ()),
        (404, "/v1/frame/x", ()),
        (404, "/v1/nothing", ()),
        (404, "/assets/a/b/c.png", ()),
        (405, "/v1/track", ()),
    ]
    snapshot = a_snapshot(a_property(), a_slot(), key)
    async with running_edge(snapshot, fast_path=fast_path) as edge:
        answers = [await edge.get(path, *headers) for _, path, headers in requests]
    cached = {
        (answer.status, path, answer.headers.get("cache-control"))
        for (_, path, _), answer in zip(requests, answers, strict=True)
    }
    assert cached == {(status, path, "no-store") for status, path, _ in requests}


async def test_garbage_is_refused_with_the_same_headers() -> None:
    async with running_edge(a_snapshot()) as edge:
        (answer,) = await exchange(edge.port, b"GET / HTTP/1.1\r\nHost : x\r\n\r\n")
    assert answer.code == "bad_request"
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_body_over_16_kib_is_refused() -> None:
    head = b"POST /v1/track HTTP/1.1\r\nHost: x\r\nContent-Length: 16385\r\n\r\n"
    async with running_edge(a_snapshot()) as edge:
        (answer,) = await exchange(edge.port, head + b"x" * 16385)
    assert answer.code == "payload_too_large"


async def test_errors_are_counted_by_code() -> None:
    async with running_edge(a_snapshot()) as edge:
        await edge.get("/v1/serve")
        await edge.get("/nothing")
        counted = dict(edge.context.metrics.refusals)
    assert counted == {"missing_key": 1, "not_found": 1}
