"""How large a body the management API accepts, and that it refuses before reading one."""

from typing import Any
from uuid import UUID

import httpx
import pytest

from common.contract.operation import LARGE_BODY_BYTES, UNAUTHENTICATED_BODY_BYTES
from common.values.environment import Environment
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.largest_body import largest_of, taking_a_body
from tests.support.raw_http import exchange

LIMIT = 16_384
HIDDEN = b"GET /livez HTTP/1.1\r\nHost: test\r\n\r\n"


def post(length: int, body: bytes, *headers: str) -> bytes:
    lines = (
        "POST /v1/auth/token HTTP/1.1",
        "Host: test",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        *headers,
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


async def test_a_body_of_the_limit_is_read_and_a_byte_more_is_not(api: ControlApi) -> None:
    (read,) = await exchange(api.port, post(LIMIT, b" " * LIMIT, "Connection: close"))
    refused = await exchange(api.port, post(LIMIT + 1, b" " * (LIMIT + 1)) + HIDDEN)
    assert (read.status, read.code) == (400, "invalid_json")
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]


@pytest.mark.parametrize("headers", [(), ("Expect: 100-continue",)])
async def test_a_body_announced_as_too_large_is_refused_without_reading_it(
    api: ControlApi, headers: tuple[str, ...]
) -> None:
    refused = await exchange(api.port, post(10**9, b"", *headers))
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]


async def test_chunks_are_counted_like_any_body(api: ControlApi) -> None:
    head = (
        b"POST /v1/auth/token HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"40000\r\n" + b" " * 0x40000 + b"\r\n"
    refused = await exchange(api.port, head + chunk * 5 + b"0\r\n\r\n" + HIDDEN)
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]


TAKING = taking_a_body(edge=False)
"""Of the control plane, by name; `tests/edge/http/test_bodies.py` has the edge's."""


@pytest.mark.parametrize("name", TAKING)
async def test_an_operation_takes_the_largest_body_of_its_schema_and_not_a_byte_over_its_limit(
    api: ControlApi, owner: Person, name: str
) -> None:
    _, _, operation = TAKING[name]
    limit, largest = operation["x-max-body-bytes"], largest_of(operation)
    assert f"{limit:,} bytes" in operation["requestBody"]["description"]
    if len(largest) > limit:
        assert limit == LARGE_BODY_BYTES, f"{name} takes less than its own schema allows"
        largest = largest[:limit]
    taken = await send(api, owner, name, largest)
    assert taken.status_code not in (413, 429, 500), taken.text
    refused = await send(api, owner, name, b" " * (limit + 1))
    assert (refused.status_code, code_of(refused)) == (413, "payload_too_large")


@pytest.mark.parametrize("name", [one for one, made in TAKING.items() if not made[2]["security"]])
def test_unauthenticated_callers_may_send_only_small_bodies(name: str) -> None:
    assert TAKING[name][2]["x-max-body-bytes"] == UNAUTHENTICATED_BODY_BYTES


async def test_a_large_body_of_an_unauthenticated_caller_is_refused_unread(api: ControlApi) -> None:
    head = (
        f"POST /v1/campaigns HTTP/1.1\r\nHost: test\r\nContent-Length: {LARGE_BODY_BYTES}\r\n\r\n"
    )
    (answer,) = await exchange(api.port, head.encode())
    assert (answer.status, answer.code) == (401, "missing_key")


@pytest.mark.parametrize("path", ["/sign-in", "/sign-up", "/forgot-password"])
async def test_a_form_of_an_unauthenticated_caller_is_limited(api: ControlApi, path: str) -> None:
    for size, status in ((LIMIT, 413), (LIMIT - 2, 200)):
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = await api.http.post(path, content=b"a=" + b"b" * (size - 1), headers=form)
        assert (answer.status_code == 413) == (status == 413), answer.text


async def send(api: ControlApi, person: Person, name: str, body: bytes) -> httpx.Response:
    method, path, operation = TAKING[name]
    ids = {one["name"]: str(UUID(int=7)) for one in operation["parameters"] if one["in"] == "path"}
    headers = person.headers if {"accessToken": []} in operation["security"] else {}
    if operation["security"] and not headers:
        site = await api.add_property(person)
        key = await api.add_key(person, environment=Environment.TEST, property_id=site)
        headers = key.headers
    return await api.http.request(
        method,
        path.format(**ids),
        params={"environment": "test"} if takes_environment(operation) else {},
        content=body,
        headers={**headers, "Content-Type": "application/json", "If-Match": "1"},
    )


def takes_environment(operation: dict[str, Any]) -> bool:
    return any(one["name"] == "environment" for one in operation["parameters"])
