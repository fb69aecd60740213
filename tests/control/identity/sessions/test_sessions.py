"""Sessions over HTTP: listed and ended by their owner, and by time."""

from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import text

from control.api.last_used import SessionUse
from control.identity.sessions.queries import end_access
from control.identity.users.jobs import ENDED_KEPT, sweep_sessions
from tests.support.control_api import ControlApi, Person, bearer, code_of
from tests.support.moved_clock import MovedClock


async def _sessions(api: ControlApi, person: Person) -> list[dict[str, Any]]:
    answer = await api.http.get("/v1/sessions", headers=person.headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def _is_signed_in(api: ControlApi, access_token: str) -> bool:
    answer = await api.http.get("/v1/me", headers=bearer(access_token))
    assert answer.is_success or code_of(answer) == "invalid_key"
    return answer.is_success


async def _refresh(api: ControlApi, token: str) -> httpx.Response:
    return await api.http.post(
        "/v1/auth/token", json={"grant_type": "refresh_token", "refresh_token": token}
    )


async def test_a_sign_in_is_listed_with_where_it_came_from(api: ControlApi) -> None:
    person = await api.sign_up()
    grant = {"grant_type": "password", "email": person.email, "password": "correct horse battery"}
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
    await api.http.post("/v1/auth/token", json=grant, headers={"User-Agent": agent})

    newest, first = await _sessions(api, person)
    assert newest["agent"] == "Firefox"
    assert newest["origin"] == first["origin"] == "127.0.0.1"
    assert (newest["is_current"], first["is_current"]) == (False, True)
    assert first["account_id"] == person.account_id


async def test_sessions_come_by_pages(api: ControlApi) -> None:
    person = await api.sign_up()
    for _ in range(2):
        await api.sign_in(person.email)
    path, seen = "/v1/sessions?limit=2", []
    while path:
        page = (await api.http.get(path, headers=person.headers)).json()
        seen += [one["id"] for one in page["data"]]
        path = f"/v1/sessions?limit=2&cursor={page['next_cursor']}" if page["has_more"] else ""

    assert len(seen) == len(set(seen)) == 3
    assert seen == sorted(seen, reverse=True)


async def test_signing_out_ends_this_session_and_no_other(api: ControlApi) -> None:
    person = await api.sign_up()
    other = (await api.sign_in(person.email)).json()
    answer = await api.http.post("/v1/auth/sign-out", headers=person.headers)

    assert (answer.status_code, answer.content) == (204, b"")
    assert not await _is_signed_in(api, person.access_token)
    assert code_of(await _refresh(api, person.refresh_token)) == "invalid_grant"
    assert await _is_signed_in(api, other["access_token"])


async def test_a_session_is_ended_from_another(api: ControlApi) -> None:
    person = await api.sign_up()
    other = (await api.sign_in(person.email)).json()
    session_id = next(one["id"] for one in await _sessions(api, person) if not one["is_current"])
    path = f"/v1/sessions/{session_id}/revoke"
    answer = await api.http.post(path, headers=person.headers)

    assert answer.json()["revoked_at"] is not None
    assert not await _is_signed_in(api, other["access_token"])
    assert (await _refresh(api, other["refresh_token"])).status_code == 400
    assert [one["is_current"] for one in await _sessions(api, person)] == [True]
    again = await api.http.post(path, headers=person.headers)
    assert (again.status_code, code_of(again)) == (409, "invalid_state")


async def test_all_other_sessions_are_ended_at_once(api: ControlApi) -> None:
    person = await api.sign_up()
    others = [(await api.sign_in(person.email)).json()["access_token"] for _ in range(3)]
    answer = await api.http.post("/v1/sessions/revoke-others", headers=person.headers)

    assert answer.json() == {"revoked": 3}
    assert [await _is_signed_in(api, token) for token in others] == [False] * 3
    assert await _is_signed_in(api, person.access_token)


async def test_ending_a_session_is_written_to_the_audit_log(api: ControlApi) -> None:
    person = await api.sign_up()
    await api.sign_in(person.email)
    await api.http.post("/v1/auth/sign-out", headers=person.headers)

    async with api.control.database.service() as session:
        rows = await session.execute(
            text("select action, actor, origin from audit_log where account_id = :id order by id"),
            {"id": person.account_id},
        )
        acts = [tuple(row) for row in rows]
    who = f"user:{person.user_id}"
    assert acts[1:] == [
        ("session.create", who, "127.0.0.1"),
        ("session.create", who, "127.0.0.1"),
        ("signOut", who, "127.0.0.1"),
    ]


async def test_a_session_that_is_not_used_ends(api: ControlApi, clock: MovedClock) -> None:
    person = await api.sign_up()
    clock.advance(timedelta(seconds=api.control.settings.session_idle_s))

    assert not await _is_signed_in(api, person.access_token)
    assert (await _refresh(api, person.refresh_token)).status_code == 400


async def test_a_used_session_is_extended_up_to_its_maximum_age(
    api: ControlApi, clock: MovedClock
) -> None:
    person = await api.sign_up()
    refresh_token, days = person.refresh_token, 0
    while (answer := await _refresh(api, refresh_token)).is_success:
        refresh_token = answer.json()["refresh_token"]
        clock.advance(timedelta(days=10))
        days += 10

    assert days == 90


async def test_an_access_token_does_not_outlive_its_session(
    api: ControlApi, clock: MovedClock
) -> None:
    person = await api.sign_up()
    refresh_token = person.refresh_token
    for _ in range(8):
        clock.advance(timedelta(days=11))
        refresh_token = (await _refresh(api, refresh_token)).json()["refresh_token"]
    clock.advance(timedelta(days=2) - timedelta(minutes=30))
    access_token = (await _refresh(api, refresh_token)).json()["access_token"]
    assert await _is_signed_in(api, access_token)

    clock.advance(timedelta(minutes=31))
    assert not await _is_signed_in(api, access_token)


async def test_calls_keep_a_session_alive_though_written_later(
    api: ControlApi, clock: MovedClock
) -> None:
    person = await api.sign_up()
    clock.advance(timedelta(minutes=30))
    assert await _is_signed_in(api, person.access_token)
    assert await api.control.get(SessionUse).flush(api.control.database, clock.now()) >= 1

    (session,) = await _sessions(api, person)
    assert session["last_used_at"] > session["created_at"]
    assert await api.control.get(SessionUse).flush(api.control.database, clock.now()) == 0


async def test_a_role_change_ends_access_tokens_and_the_refresh_token_brings_the_new_role(
    api: ControlApi,
) -> None:
    person = await api.sign_up()
    async with api.control.database.tenant(person.account_id) as session:
        await session.execute(
            text("update memberships set role = 'analyst' where user_id = :id"),
            {"id": person.user_id},
        )
        await end_access(session, person.account_id, person.user_id, api.control.clock.now())
    assert not await _is_signed_in(api, person.access_token)

    renewed = (await _refresh(api, person.refresh_token)).json()["access_token"]
    me = (await api.http.get("/v1/me", headers=bearer(renewed))).json()
    assert me["role"] == "analyst"


async def test_a_removed_member_cannot_renew(api: ControlApi) -> None:
    person = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(
            text("delete from memberships where user_id = :id"), {"id": person.user_id}
        )

    answer = await _refresh(api, person.refresh_token)
    assert (answer.status_code, code_of(answer)) == (400, "invalid_grant")


async def test_sessions_that_ended_long_ago_are_swept_with_their_tokens(
    api: ControlApi, clock: MovedClock
) -> None:
    person = await api.sign_up()

    async def rows(table: str) -> int:
        async with api.control.database.service() as session:
            statement = text(f"select count(*) from {table} where user_id = :id")  # noqa: S608 - a name from below
            return await session.scalar(statement, {"id": person.user_id}) or 0

    clock.advance(timedelta(hours=2))
    await sweep_sessions(api.control)
    assert (await rows("sessions"), await rows("access_tokens")) == (1, 1)
    clock.advance(timedelta(days=14) + ENDED_KEPT)
    await sweep_sessions(api.control)
    assert (await rows("sessions"), await rows("access_tokens")) == (0, 0)


async def test_an_integration_key_has_no_sessions(api: ControlApi, owner: Person) -> None:
    key = await api.add_key(owner)
    answer = await api.http.get("/v1/sessions", headers=key.headers)

    assert code_of(answer) == "not_available_to_integration_keys"
