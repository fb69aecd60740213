"""
Guessing is slowed down, and nobody is locked out by an attacker. Behind one proxy, so that a test has many
addresses.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from sqlalchemy import text

from control.identity.users.jobs import sweep_people
from tests.support.control_api import (
    PASSWORD,
    ControlApi,
    DatabaseTemplate,
    code_of,
    running_control,
)
from tests.support.mailbox import RESET, token_in_newest
from tests.support.moved_clock import MovedClock

HOME = "203.0.113.7"
NEW = "seven quiet otters dream"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def proxied(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    folder = servers_folder / uuid4().hex[:8]
    folder.mkdir()
    async with running_control(migrated.new_database(), folder, trusted_proxies=1) as running:
        yield running


@pytest.fixture(autouse=True)
def clock(proxied: ControlApi) -> MovedClock:
    """Time stands, so that no count fades while a slow machine guesses."""
    clock = MovedClock(stands=True)
    proxied.control.clock = clock
    return clock


@pytest_asyncio.fixture(autouse=True)
async def _nothing_counted(proxied: ControlApi) -> None:
    async with proxied.control.database.service() as session:
        await session.execute(text("delete from throttles"))


async def _try(
    api: ControlApi, email: str, address: str, password: str = PASSWORD
) -> httpx.Response:
    grant = {"grant_type": "password", "email": email, "password": password}
    return await api.http.post("/v1/auth/token", json=grant, headers={"X-Forwarded-For": address})


async def _sign_up(api: ControlApi, address: str = HOME) -> str:
    """Their e-mail address."""
    email = f"{uuid4().hex}@people.example"
    body = {"name": "Acme", "email": email, "password": PASSWORD}
    made = await api.http.post("/v1/accounts", json=body, headers={"X-Forwarded-For": address})
    assert made.status_code == 201, made.text
    return email


async def _exhaust(api: ControlApi, email: str) -> None:
    """Guesses, each from another address, until none is admitted."""
    for number in range(30):
        answer = await _try(api, email, f"198.51.100.{number}", "a guess of mine")
        if answer.status_code == 429:
            return
    raise AssertionError("guesses over all addresses are never slowed down")


async def test_guesses_from_everywhere_at_one_person_are_slowed_down(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    await _exhaust(proxied, email)
    answer = await _try(proxied, email, "192.0.2.99")

    assert code_of(answer) == "rate_limited"
    assert int(answer.headers["retry-after"]) >= 1


async def test_the_owner_can_sign_in_from_a_known_network(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    await _exhaust(proxied, email)

    assert (await _try(proxied, email, HOME)).is_success


async def test_a_new_place_becomes_a_known_one_by_signing_in(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    assert (await _try(proxied, email, "192.0.2.4")).is_success
    await _exhaust(proxied, email)

    assert (await _try(proxied, email, "192.0.2.4")).is_success


async def test_a_neighbour_in_the_same_ipv6_network_counts_as_known(proxied: ControlApi) -> None:
    email = await _sign_up(proxied, "2001:db8:1:2::1")
    await _exhaust(proxied, email)

    assert (await _try(proxied, email, "2001:db8:1:2:ffff::9")).is_success
    assert code_of(await _try(proxied, email, "2001:db8:1:3::1")) == "rate_limited"


async def test_a_reset_is_the_way_in_from_a_new_place(proxied: ControlApi) -> None:
    email, away = await _sign_up(proxied), {"X-Forwarded-For": "192.0.2.5"}
    await _exhaust(proxied, email)
    await proxied.http.post("/v1/auth/password-reset", json={"email": email}, headers=away)
    token = await token_in_newest(proxied, email, RESET)
    body = {"token": token, "new_password": NEW}
    await proxied.http.post("/v1/auth/password-reset/confirm", json=body, headers=away)

    assert (await _try(proxied, email, "192.0.2.5", NEW)).is_success


async def test_guesses_from_a_known_network_are_counted_too(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    answers = [await _try(proxied, email, HOME, "a guess of mine") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [400] * 10 + [429]


async def test_one_network_cannot_try_one_password_on_many(proxied: ControlApi) -> None:
    answers = [
        await _try(proxied, f"{uuid4().hex}@people.example", "192.0.2.6", "Summer2026!!")
        for _ in range(101)
    ]

    assert {answer.status_code for answer in answers[:100]} == {400}
    assert code_of(answers[100]) == "rate_limited"


async def test_an_account_of_ones_own_does_not_clear_the_count_of_a_network(
    proxied: ControlApi,
) -> None:
    own = await _sign_up(proxied, "192.0.2.200")
    statuses = []
    for number in range(110):
        if number % 10 == 9:
            assert (await _try(proxied, own, "192.0.2.7")).status_code in (200, 429)
        outsider = f"{uuid4().hex}@people.example"
        statuses.append((await _try(proxied, outsider, "192.0.2.7", "Summer2026!!")).status_code)

    assert 429 in statuses


async def test_good_sign_ins_are_not_counted(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    answers = [await _try(proxied, email, f"192.0.2.{number}") for number in range(100, 130)]

    assert {answer.status_code for answer in answers} == {200}


async def test_counts_fade(proxied: ControlApi, clock: MovedClock) -> None:
    email = await _sign_up(proxied)
    for _ in range(11):
        refused = await _try(proxied, email, HOME, "a guess of mine")
    clock.advance(timedelta(seconds=int(refused.headers["retry-after"])))

    assert (await _try(proxied, email, HOME)).is_success


async def test_many_guesses_at_once_are_all_counted(proxied: ControlApi) -> None:
    email = await _sign_up(proxied)
    answers = await asyncio.gather(
        *(_try(proxied, email, HOME, f"guess number {n}") for n in range(30))
    )

    assert sum(answer.status_code == 400 for answer in answers) == 10


async def test_counts_are_shared_by_processes_and_survive_them(
    proxied: ControlApi, servers_folder: Path
) -> None:
    email = await _sign_up(proxied)
    for _ in range(10):
        await _try(proxied, email, HOME, "a guess of mine")
    url = proxied.control.settings.database_url
    async with running_control(url, servers_folder, trusted_proxies=1) as another:
        another.control.clock = proxied.control.clock
        assert code_of(await _try(another, email, HOME)) == "rate_limited"


async def test_unknown_and_known_addresses_are_throttled_alike(proxied: ControlApi) -> None:
    def shown(answer: httpx.Response) -> tuple[int, object, str | None]:
        error = answer.json()["error"]
        reported = {name: error[name] for name in error if name != "request_id"}
        return answer.status_code, reported, answer.headers.get("cache-control")

    seen: list[list[object]] = []
    for email in (await _sign_up(proxied, "192.0.2.50"), f"{uuid4().hex}@people.example"):
        answers = [await _try(proxied, email, "192.0.2.51", "a guess of mine") for _ in range(10)]
        seen.append([shown(answer) for answer in answers])
        seen[-1].append((await _try(proxied, email, "192.0.2.51")).status_code)

    assert seen[0] == seen[1]


async def test_counts_of_attempts_contain_no_personal_data(proxied: ControlApi) -> None:
    email = f"{uuid4().hex}@people.example"
    await _try(proxied, email, HOME, "a guess of mine")
    async with proxied.control.database.service() as session:
        rows = (await session.scalars(text("select throttles::text from throttles"))).all()

    assert len(rows) == 4  # by address, by network, by both, and the line of the audit log
    assert all(email not in row and HOME not in row for row in rows)


async def test_counts_that_mean_nothing_are_swept(proxied: ControlApi, clock: MovedClock) -> None:
    await _try(proxied, f"{uuid4().hex}@people.example", HOME, "a guess of mine")
    clock.advance(timedelta(hours=1))
    await sweep_people(proxied.control)

    async with proxied.control.database.service() as session:
        assert await session.scalar(text("select count(*) from throttles")) == 0


async def _ask_for_resets(api: ControlApi, times: int) -> list[int]:
    answers = [
        await api.http.post(
            "/v1/auth/password-reset",
            json={"email": f"{uuid4().hex}@people.example"},
            headers={"X-Forwarded-For": "192.0.2.77"},
        )
        for _ in range(times)
    ]
    return [answer.status_code for answer in answers]


async def test_asking_for_resets_is_slowed_down_by_network(proxied: ControlApi) -> None:
    assert await _ask_for_resets(proxied, 21) == [202] * 20 + [429]


async def test_a_clock_set_back_locks_nobody_out(proxied: ControlApi, clock: MovedClock) -> None:
    await _ask_for_resets(proxied, 10)
    clock.advance(timedelta(hours=-5))
    at_once = await _ask_for_resets(proxied, 2)
    clock.advance(timedelta(minutes=3))

    assert at_once == [202, 429]
    assert await _ask_for_resets(proxied, 2) == [202, 429]


async def test_places_not_seen_for_long_are_forgotten(
    proxied: ControlApi, clock: MovedClock
) -> None:
    await _sign_up(proxied)
    clock.advance(timedelta(days=91))
    await sweep_people(proxied.control)

    async with proxied.control.database.service() as session:
        assert await session.scalar(text("select count(*) from known_origins")) == 0
