"""A creating POST repeated with its Idempotency-Key makes its object once."""

import asyncio
from collections import Counter
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from tests.control.api.little_app import LittleApi
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of


async def _create(
    little: LittleApi, person: Person, key: str, body: dict[str, object] | None = None
) -> httpx.Response:
    return await little.http.post(
        "/v1/notes",
        headers={**person.headers, "Idempotency-Key": key},
        json=body or {"text": "note"},
    )


async def _notes(api: ControlApi, person: Person) -> int:
    async with api.control.database.tenant(person.account_id) as session:
        found = await session.scalar(text("select count(*) from audit_log where action = 'note'"))
    return int(found or 0)


async def test_repeated_create_answers_the_same_bytes(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    first = await _create(little, person, "once")
    again = await _create(little, person, "once")

    assert first.status_code == again.status_code == 201
    assert first.content == again.content
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert await _notes(api, person) == 1


async def test_thirty_concurrent_creates_make_one_object(
    api: ControlApi, little: LittleApi
) -> None:
    person = await api.sign_up()
    answers = await asyncio.gather(*(_create(little, person, "storm") for _ in range(30)))

    created = {answer.content for answer in answers if answer.status_code == 201}
    refused = [answer for answer in answers if answer.status_code != 201]
    assert len(created) == 1
    assert {code_of(answer) for answer in refused} <= {"idempotency_in_progress"}
    assert all(answer.headers["retry-after"] == "1" for answer in refused)
    assert await _notes(api, person) == 1


async def test_concurrent_repetitions_get_the_stored_answer(
    api: ControlApi, little: LittleApi
) -> None:
    person = await api.sign_up()
    first = await _create(little, person, "again")
    answers = await asyncio.gather(*(_create(little, person, "again") for _ in range(30)))

    assert {answer.content for answer in answers} == {first.content}


async def test_two_keys_in_one_call_are_refused(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    headers = [*person.headers.items(), ("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    answer = await little.http.post("/v1/notes", headers=headers, json={"text": "note"})

    assert (answer.status_code, answer.json()["error"]["param"]) == (422, "Idempotency-Key")
    assert await _notes(api, person) == 0


async def test_thirty_sign_ups_at_once_make_one_account(api: ControlApi) -> None:
    body = {"name": "Storm", "email": f"{uuid4().hex}@people.example", "password": PASSWORD}
    answers = await asyncio.gather(
        *(
            api.http.post("/v1/accounts", json=body, headers={"Idempotency-Key": "sign-up"})
            for _ in range(30)
        )
    )

    statuses = Counter(answer.status_code for answer in answers)
    made = {answer.json()["account"]["id"] for answer in answers if answer.status_code == 201}
    assert set(statuses) <= {201, 409}
    assert len(made) == 1


async def test_same_key_with_another_body_is_refused(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    await _create(little, person, "key")
    answer = await _create(little, person, "key", {"text": "other"})

    assert (answer.status_code, code_of(answer)) == (422, "idempotency_key_reused")


async def test_same_body_in_another_notation_is_the_same(
    api: ControlApi, little: LittleApi
) -> None:
    person = await api.sign_up()
    first = await _create(little, person, "key", {"text": "a", "tags": []})
    again = await little.http.post(
        "/v1/notes",
        headers={
            **person.headers,
            "Idempotency-Key": "key",
            "Content-Type": "application/json",
        },
        content=b'{ "tags": [], "text": "a" }',
    )

    assert again.content == first.content


async def test_refusal_is_not_kept(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    refused = await _create(little, person, "key", {"text": "refuse me"})
    invalid = await _create(little, person, "key", {"txet": "note"})
    made = await _create(little, person, "key")

    assert [refused.status_code, invalid.status_code, made.status_code] == [409, 422, 201]


async def test_keys_of_two_callers_are_separate(api: ControlApi, little: LittleApi) -> None:
    one, other = await api.sign_up(), await api.sign_up()
    await _create(little, one, "key")
    answer = await _create(little, other, "key", {"text": "mine"})

    assert answer.json()["text"] == "mine"


async def test_keys_of_two_environments_are_separate(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    await _create(little, owner, "env")
    key = await api.add_key(owner)
    answer = await little.http.post(
        "/v1/notes", headers={**key.headers, "Idempotency-Key": "env"}, json={"text": "ours"}
    )

    assert answer.json()["text"] == "ours"


async def test_answer_with_a_secret_is_stored_sealed(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    first = await _create(little, person, "key", {"text": "secret-hunter2"})
    again = await _create(little, person, "key", {"text": "secret-hunter2"})

    async with api.control.database.tenant(person.account_id) as session:
        stored = await session.scalar(text("select answer from idempotency"))
    assert stored is not None
    assert b"hunter2" not in stored
    assert again.content == first.content


async def test_key_is_forgotten_after_a_day(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    await _create(little, person, "key")
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "update idempotency set created_at = created_at - interval '24 h 1 s'"
                " where account_id = :id"
            ),
            {"id": person.account_id},
        )
    answer = await _create(little, person, "key", {"text": "other"})

    assert answer.status_code == 201
    assert await _notes(api, person) == 2


@pytest.mark.parametrize("key", ["", "a" * 256, "with space"])
async def test_malformed_key_is_refused(little: LittleApi, owner: Person, key: str) -> None:
    answer = await _create(little, owner, key)

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "Idempotency-Key"
