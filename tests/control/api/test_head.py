"""Whatever can be read answers HEAD as GET, without the body: RFC 9110, 9.3.2."""

from typing import Any

import pytest

from control.processes.app import OPERATIONS
from tests.support.control_api import ControlApi, Person

_EACH_CALL = ("x-request-id", "ratelimit", "content-length")
"""What differs between any two calls: ids and times stand in some bodies."""
_READ = [
    operation.path
    for operation in OPERATIONS
    if operation.method == "GET" and operation.id != "streamEvents"
]
_PAGES = ("/livez", "/docs", "/sign-in", "/campaigns", "/no/such/page", "/v1/openapi.json")


def _told(answer: Any) -> tuple[int, dict[str, str]]:
    headers = {name: value for name, value in answer.headers.items() if name not in _EACH_CALL}
    return answer.status_code, headers


async def _assert_same(api: ControlApi, path: str, headers: dict[str, str]) -> None:
    """One connection carries both, so that a body behind a HEAD would stand before the next answer."""
    head = await api.http.head(path, headers=headers)
    whole = await api.http.get(path, headers=headers)

    assert _told(head) == _told(whole)
    assert (head.content, head.headers["content-length"] == "0") == (b"", not whole.content)


@pytest.mark.parametrize("path", _READ)
async def test_head_returns_the_headers_of_get(api: ControlApi, owner: Person, path: str) -> None:
    requested = path.replace("{id}", "00000000-0000-7000-8000-000000000000").replace(
        "{version}", "1"
    )

    await _assert_same(api, f"{requested}?environment=test", owner.headers)
    await _assert_same(api, requested, owner.headers)


@pytest.mark.parametrize("path", _PAGES)
async def test_pages_and_health_answer_head(api: ControlApi, path: str) -> None:
    await _assert_same(api, path, {"Accept": "text/html"})


async def test_the_length_of_a_head_is_that_of_its_get(api: ControlApi) -> None:
    head, whole = await api.http.head("/v1/openapi.json"), await api.http.get("/v1/openapi.json")

    assert int(head.headers["content-length"]) == len(whole.content)


async def test_a_refused_head_has_the_status_of_its_get(api: ControlApi) -> None:
    head = await api.http.head("/v1/me")

    assert (head.status_code, head.content) == (401, b"")
    assert head.headers["www-authenticate"] == "Bearer"


async def test_operations_without_get_do_not_allow_head(api: ControlApi, owner: Person) -> None:
    answer = await api.http.head("/v1/campaigns/forecast/none", headers=owner.headers)
    acted = await api.http.head("/v1/auth/token", headers=owner.headers)

    assert answer.status_code == 404
    assert (acted.status_code, acted.headers["allow"]) == (405, "POST")
