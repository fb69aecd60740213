"""How often a caller may call."""

import asyncio
import gzip

import httpx
import pytest

from common.values.errors import Refused
from control.foundation.rate_limit import Rate, RateLimiter, check_rate
from tests.support.control_api import ControlApi, DatabaseTemplate, code_of, running_control
from tests.support.servers import PostgresServer

_RATE = Rate(10, 1.0, burst=30)


def _admitted(limiter: RateLimiter, caller: str, calls: int, now_s: float) -> int:
    return sum(limiter.admit(caller, _RATE, now_s) == 0 for _ in range(calls))


def test_only_a_burst_is_admitted_at_once() -> None:
    assert _admitted(RateLimiter(), "a", 100, 50.0) == 30


def test_calls_at_the_rate_are_always_admitted() -> None:
    limiter = RateLimiter()
    _admitted(limiter, "a", 100, 0.0)

    later = [_admitted(limiter, "a", 100, float(second)) for second in range(1, 61)]
    assert sum(later) == pytest.approx(600, abs=1)


def test_callers_have_separate_limits() -> None:
    limiter = RateLimiter()
    _admitted(limiter, "a", 100, 0.0)

    assert _admitted(limiter, "b", 100, 0.0) == 30


def test_a_call_after_the_reported_wait_is_admitted() -> None:
    limiter = RateLimiter()
    _admitted(limiter, "a", 30, 0.0)
    wait_s = limiter.admit("a", _RATE, 0.0)

    assert wait_s == pytest.approx(0.1)
    assert limiter.admit("a", _RATE, wait_s) == 0


def test_memory_is_bounded() -> None:
    limiter = RateLimiter(max_callers=100)
    for number in range(1000):
        limiter.admit(f"caller {number}", _RATE, float(number))

    assert len(limiter) <= 200


def test_refusal_reports_the_limit() -> None:
    limiter = RateLimiter()
    _admitted(limiter, "a", 30, 0.0)

    with pytest.raises(Refused) as refused:
        check_rate(limiter, "a", _RATE, 0.0)
    assert refused.value.retry_after_s == 1
    assert refused.value.headers["RateLimit"] == '"default";r=0;t=1'


def test_the_reported_remainder_is_admitted() -> None:
    limiter = RateLimiter()
    for now_s in (0.0, 0.3, 0.35, 2.0, 70.0):
        _admitted(limiter, "a", 17, now_s)
        left = limiter.status("a", _RATE, now_s).left
        assert _admitted(limiter, "a", 100, now_s) == left


def test_the_next_call_is_admitted_at_the_reported_time() -> None:
    limiter = RateLimiter()
    slow = Rate(1, 10.0, burst=2)
    limiter.admit("a", slow, 5.0)
    limiter.admit("a", slow, 5.0)
    state = limiter.status("a", slow, 6.5)

    assert (state.left, state.wait_s) == (0, 9)
    assert limiter.admit("a", slow, 6.5 + state.wait_s) == 0


async def test_every_answer_of_an_admitted_caller_reports_the_remainder(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    settings = {"management_per_key_s": 10}
    async with running_control(migrated.new_database(), postgres_server.folder, **settings) as api:
        person = await api.sign_up()
        found = await api.http.get("/v1/me", headers=person.headers)
        absent = await api.http.get("/v1/campaigns/7", headers=person.headers)
        wrong = await api.http.post("/v1/properties", json={}, headers=person.headers)
        key = await api.add_key(person)
        forbidden = await api.http.get("/v1/sdk-keys", headers=key.headers)
        outsider = await api.http.post("/v1/accounts", json={})

    answers = (found, absent, wrong, forbidden, outsider)
    assert [answer.status_code for answer in answers] == [200, 404, 422, 403, 422]
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"default";q=10;w=1'}
    assert {answer.headers["ratelimit"].partition(";")[0] for answer in answers} == {'"default"'}
    assert found.headers["ratelimit"] == '"default";r=29;t=0'


async def test_fast_caller_is_refused_and_others_are_not(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    settings = {"management_per_key_s": 1}
    folder = postgres_server.folder
    async with running_control(migrated.new_database(), folder, **settings) as api:
        person = await api.sign_up()
        fast, calm = await api.add_key(person), await api.add_key(person)
        answers = [await api.http.get("/v1/me", headers=fast.headers) for _ in range(8)]
        other = await api.http.get("/v1/me", headers=calm.headers)

    refused = answers[-1]
    assert refused.status_code == 429
    assert code_of(refused) == "rate_limited"
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.headers["ratelimit-policy"] == '"default";q=1;w=1'
    assert other.is_success


async def test_unauthenticated_callers_are_limited_by_address(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    settings = {"management_per_key_s": 1}
    async with running_control(migrated.new_database(), postgres_server.folder, **settings) as api:
        answers = [await _outsider(api) for _ in range(8)]

    assert answers[0] == 422
    assert answers[-1] == 429


async def _outsider(api: ControlApi) -> int:
    return (await api.http.post("/v1/accounts", json={})).status_code


async def test_bytes_are_counted_for_the_address_and_not_for_others(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    settings = {"management_bytes_per_ip_s": 262_144}
    async with running_control(migrated.new_database(), postgres_server.folder, **settings) as api:
        person = await api.sign_up()
        headers = {**person.headers, "Content-Type": "application/json"}
        bomb = {**headers, "Content-Encoding": "gzip"}
        large, encoded = b" " * 1_000_000, gzip.compress(b" " * 1_000_000)
        for content, sent in ((large, headers), (encoded, bomb)):
            calls = (
                api.http.post("/v1/campaigns", content=content, headers=sent) for _ in range(12)
            )
            answers = await asyncio.gather(*calls)
            refused = [answer for answer in answers if answer.status_code == 429]
            assert refused, "twelve megabytes at once are six bursts"
            assert code_of(refused[0]) == "rate_limited"
            assert int(refused[0].headers["retry-after"]) >= 1
        other = httpx.AsyncHTTPTransport(local_address="127.0.0.9")
        async with httpx.AsyncClient(base_url=api.http.base_url, transport=other) as http:
            answer = await http.post("/v1/campaigns", content=large, headers=headers)
        assert (answer.status_code, code_of(answer)) == (400, "invalid_json")
