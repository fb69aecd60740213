"""How the JSON of a mailing is read: nulls, repeated fields and escapes."""

from pathlib import Path
from typing import Any

import pytest

from tests.edge.email.mail_world import a_body, a_sender


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"mode": None}, "mode"),
        ({"render": None}, "render"),
        ({"expires_in_days": None}, "expires_in_days"),
        ({"recipients": [{"ref": "a", "kv": None}]}, "recipients.0.kv"),
    ],
)
async def test_a_field_with_a_default_is_never_null(
    tmp_path: Path, fields: dict[str, Any], param: str
) -> None:
    async with a_sender(tmp_path) as sender:
        response = await sender.post(a_body() | fields)

    details = response.json()["error"]["details"]
    assert (response.status_code, [one["param"] for one in details]) == (422, [param])


@pytest.mark.parametrize(
    ("raw", "param"),
    [
        (b'{"slot": "newsletter", "send_id": "a", "send_id": "b", "recipients": []}', "send_id"),
        (
            b'{"slot": "newsletter", "send_id": "a", "recipients": [{"ref": "a", "ref": "b"}]}',
            "ref",
        ),
        (
            b'{"slot": "newsletter", "send_id": "a", "recipients": [{"ref": "a", "kv": {"k": "1", "k": "2"}}]}',
            "k",
        ),
    ],
)
async def test_a_repeated_field_is_refused(tmp_path: Path, raw: bytes, param: str) -> None:
    async with a_sender(tmp_path) as sender:
        response = await sender.post(raw)

    details = response.json()["error"]["details"]
    assert response.status_code == 422
    assert [(one["param"], one["code"]) for one in details] == [(param, "repeated")]


async def test_json_escapes_hide_no_address(tmp_path: Path) -> None:
    body = (
        b'{"slot":"newsletter","send_id":"monday","recipients":[{"ref":"anna\\u0040example.com"}]}'
    )
    async with a_sender(tmp_path) as sender:
        response = await sender.post(body)
        broken = await sender.post(b"{")
        no_object = await sender.post(b"[]")
        quoted = await sender.post(a_body(recipients=[{"ref": '"anna b"@example.com'}]))

    assert response.json()["error"]["param"] == "recipients.0.ref"
    assert quoted.json()["error"]["param"] == "recipients.0.ref"
    assert (broken.status_code, no_object.status_code) == (400, 422)
