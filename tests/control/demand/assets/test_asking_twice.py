"""`Idempotency-Key` on uploads: the file is part of what was asked."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx

from tests.control.demand.assets.conftest import Uploader
from tests.control.demand.assets.files import a_sound, an_image
from tests.support.control_api import code_of


async def send(uploader: Uploader, key: str, content: bytes, **fields: str) -> httpx.Response:
    headers = {**uploader.customer.headers, "Idempotency-Key": key}
    return await uploader.send(content, headers=headers, **fields)


async def listed(uploader: Uploader) -> list[dict[str, Any]]:
    answer = await uploader.customer.get("/v1/assets?environment=live")
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def test_a_form_sent_again_gives_the_first_answer(uploader: Uploader) -> None:
    key = str(uuid4())

    first, second = [await send(uploader, key, an_image()) for _ in range(2)]

    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"
    assert len(await listed(uploader)) == 1


async def test_another_file_or_field_under_the_same_key_is_refused(uploader: Uploader) -> None:
    key = str(uuid4())
    await send(uploader, key, an_image())

    other_file = await send(uploader, key, an_image(size=(10, 10)))
    other_field = await send(uploader, key, an_image(), filename="other.png")

    assert code_of(other_file) == code_of(other_field) == "idempotency_key_reused"


async def test_a_repeated_film_leaves_one_upload(uploader: Uploader) -> None:
    key = str(uuid4())
    before = uploader.kept()

    for _ in range(3):
        await send(uploader, key, a_sound())

    assert len(uploader.kept().keys() - before.keys()) == 1


async def test_many_at_once_make_one_asset(uploader: Uploader) -> None:
    key = str(uuid4())

    answers = await asyncio.gather(*(send(uploader, key, an_image()) for _ in range(8)))

    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len(await listed(uploader)) == 1


async def test_an_announcement_sent_again_gives_the_same_link(uploader: Uploader) -> None:
    headers = {**uploader.customer.headers, "Idempotency-Key": str(uuid4())}
    body = {"kind": "image", "filename": "a.png", "mime": "image/png", "bytes": 5}

    first, second = [
        await uploader.customer.post("/v1/assets?environment=live", body, headers) for _ in range(2)
    ]

    assert first.content == second.content
    assert len(await listed(uploader)) == 1


async def test_another_announcement_under_the_same_key_is_refused(uploader: Uploader) -> None:
    headers = {
        **uploader.customer.headers,
        "Idempotency-Key": str(uuid4()),
        "Content-Type": "application/json",
    }

    first, respelled, other = [
        await uploader.customer.api.http.post(
            "/v1/assets?environment=live", content=content, headers=headers
        )
        for content in (
            b'{"kind":"image","filename":"a.png","mime":"image/png","bytes":5}',
            b'{"bytes": 5, "mime": "image/png", "filename": "a.png", "kind": "image"}',
            b'{"kind":"image","filename":"b.png","mime":"image/png","bytes":5}',
        )
    ]

    assert respelled.content == first.content
    assert respelled.headers["idempotent-replayed"] == "true"
    assert code_of(other) == "idempotency_key_reused"
    assert [one["filename"] for one in await listed(uploader)] == ["a.png"]
