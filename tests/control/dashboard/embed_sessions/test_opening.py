"""Opening an embedded window: once, by a browser that really opens it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest

from tests.support.control_api import ControlApi, MadeKey, Person
from tests.support.embedding import ORIGIN, data_of, secret_of
from tests.support.http_client import http_client
from tests.support.moved_clock import MovedClock

_CLIENTS = 100
_ROUNDS = 4


@pytest.fixture
async def key(api: ControlApi, owner: Person) -> MadeKey:
    return await api.add_key(owner)


@pytest.fixture
async def browser(api: ControlApi) -> AsyncIterator[httpx.AsyncClient]:
    async with http_client(base_url=api.http.base_url, connections=_CLIENTS) as http:
        yield http


async def _open(
    browser: httpx.AsyncClient, secret: str, method: str = "GET", **headers: str
) -> httpx.Response:
    return await browser.request(method, "/embed", params={"cs": secret}, headers=headers)


async def test_exactly_one_of_a_hundred_concurrent_clients_opens_the_session(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    for _ in range(_ROUNDS):
        secret = await secret_of(api, key.headers)
        answers = await asyncio.gather(*(_open(browser, secret) for _ in range(_CLIENTS)))

        assert sorted(answer.status_code for answer in answers) == [200] + [410] * (_CLIENTS - 1)
        winners = [data_of(one)["bearer"] for one in answers if data_of(one)["bearer"]]
        assert len(winners) == 1


async def test_the_page_may_be_framed_by_its_origin_alone_and_is_not_cached(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    page = await _open(browser, await secret_of(api, key.headers))

    policy = page.headers["content-security-policy"]
    assert [one for one in policy.split("; ") if one.startswith("frame-ancestors")] == [
        f"frame-ancestors {ORIGIN}"
    ]
    assert "unsafe-inline" not in policy
    assert "x-frame-options" not in page.headers
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    assert "set-cookie" not in page.headers
    assert data_of(page)["origin"] == ORIGIN
    assert data_of(page)["bearer"].startswith("es_")
    assert data_of(page)["start"] == "/embed/s/test/ads/new"


async def test_a_head_request_does_not_use_the_secret(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    secret = await secret_of(api, key.headers)
    head = await _open(browser, secret, "HEAD")

    assert head.status_code == 200
    assert head.content == b""
    assert (await _open(browser, secret)).status_code == 200


@pytest.mark.parametrize(
    "header",
    [{"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}, {"X-Moz": "prefetch"}],
)
async def test_a_prefetch_does_not_use_the_secret_and_shows_nothing(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient, header: dict[str, str]
) -> None:
    secret = await secret_of(api, key.headers)
    prefetched = await _open(browser, secret, **header)

    assert not prefetched.is_success
    assert b"es_" not in prefetched.content
    assert (await _open(browser, secret)).status_code == 200


async def test_a_used_secret_is_reported_to_its_origin(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    secret = await secret_of(api, key.headers)
    await _open(browser, secret)
    again = await _open(browser, secret)

    assert again.status_code == 410
    assert "cannot be opened" in again.text
    assert f"frame-ancestors {ORIGIN}" in again.headers["content-security-policy"]
    data = data_of(again)
    assert data == {"origin": ORIGIN, "bearer": None, "start": None, "code": "session_expired"}


async def test_after_five_minutes_the_secret_has_ended(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient, clock: MovedClock
) -> None:
    early, late = await secret_of(api, key.headers), await secret_of(api, key.headers)
    clock.advance(timedelta(minutes=4, seconds=50))
    assert (await _open(browser, early)).status_code == 200
    clock.advance(timedelta(seconds=10))

    ended = await _open(browser, late)

    assert ended.status_code == 410
    assert data_of(ended)["code"] == "session_expired"


@pytest.mark.parametrize(
    "secret", ["", "cs_", "cs_" + "A" * 43, "es_" + "A" * 43, "x" * 5000, "\0"]
)
async def test_an_unknown_secret_is_refused_with_a_page_that_cannot_be_framed(
    browser: httpx.AsyncClient, secret: str
) -> None:
    answer = await _open(browser, secret)

    assert answer.status_code == 410
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert data_of(answer)["origin"] is None


async def test_a_key_revoked_meanwhile_opens_nothing(
    api: ControlApi, owner: Person, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    secret = await secret_of(api, key.headers)
    await api.http.post(f"/v1/integration-keys/{key.id}/revoke", headers=owner.headers)

    answer = await _open(browser, secret)

    assert answer.status_code == 410
    assert data_of(answer)["code"] == "key_revoked"
    assert data_of(answer)["bearer"] is None


async def test_the_window_has_the_language_and_the_theme_of_its_context(
    api: ControlApi, key: MadeKey, browser: httpx.AsyncClient
) -> None:
    context = {"locale": "pt-BR-u-ca-gregory", "theme": "dark"}
    page = await _open(browser, await secret_of(api, key.headers, context=context))

    assert 'lang="pt-BR"' in page.text
    assert 'data-theme="dark"' in page.text
    assert 'data-environment="test"' in page.text
