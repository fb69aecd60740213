"""Every answer names its request: by the caller's own id where it can be echoed, else by one of ours."""

import pytest

from tests.support.control_api import ControlApi, Person
from tests.support.raw_http import RawAnswer, ask, exchange, get

OWN = "order-1042/attempt.2"
_MALFORMED = {
    "bare line feeds": b"GET /v1/me HTTP/1.1\nHost: test\n\n",
    "two hosts": b"GET /v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
    "a space before the colon": b"GET /v1/me HTTP/1.1\r\nHost: a\r\nX-A : 1\r\n\r\n",
    "no such version": b"GET /v1/me HTTP/9.9\r\nHost: a\r\n\r\n",
}


def _names_its_request(answer: RawAnswer) -> str:
    """Header and envelope agree; the id."""
    request_id = answer.headers["x-request-id"]
    assert answer.json["error"]["request_id"] == request_id
    return request_id


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/v1/me", "GET", 401),
        ("/v1/no-such-path", "GET", 404),
        ("/v1/me", "PUT", 405),
        ("/v1/wallet/no/such", "GET", 404),
    ],
)
async def test_a_refusal_echoes_the_callers_id(
    api: ControlApi, path: str, method: str, status: int
) -> None:
    answer = await ask(api.port, get(path, f"X-Request-Id: {OWN}", method=method))

    assert answer.status == status
    assert _names_its_request(answer) == OWN


@pytest.mark.parametrize("given", ["", "a b", "a" * 129, "été"])
async def test_an_id_that_cannot_be_echoed_is_replaced(api: ControlApi, given: str) -> None:
    request = get("/v1/me", f"X-Request-Id: {given}")

    first, second = await ask(api.port, request), await ask(api.port, request)

    ids = [_names_its_request(answer) for answer in (first, second)]
    assert ids[0] != ids[1]
    assert given not in ids


@pytest.mark.parametrize("head", _MALFORMED.values(), ids=_MALFORMED.keys())
async def test_a_malformed_request_gets_an_id_too(api: ControlApi, head: bytes) -> None:
    answers = await exchange(api.port, head)

    assert [answer.status for answer in answers] == [400]
    assert _names_its_request(answers[0])


async def test_a_too_large_body_gets_an_id_too(api: ControlApi) -> None:
    lines = (
        "POST /v1/accounts HTTP/1.1",
        "Host: test",
        f"X-Request-Id: {OWN}",
        "Content-Type: application/json",
        "Content-Length: 2000000",
    )
    answers = await exchange(api.port, ("\r\n".join(lines) + "\r\n\r\n").encode(), b"{")

    assert [answer.status for answer in answers] == [413]
    assert _names_its_request(answers[0]) == OWN


async def test_a_success_echoes_the_callers_id(api: ControlApi, owner: Person) -> None:
    answer = await api.http.get("/v1/me", headers=owner.headers | {"X-Request-Id": OWN})

    assert (answer.status_code, answer.headers["x-request-id"]) == (200, OWN)
