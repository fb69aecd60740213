"""What errors, headers, keys and logs disclose to clients without credentials."""

import socket
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from common.service.logging import redacted_text
from control.storage.database import Database
from tests.support.control_api import (
    PASSWORD,
    ControlApi,
    DatabaseTemplate,
    Person,
    code_of,
    running_control,
)

_DIVIDE = text("select 1 / (length(cast(:name as text)) - length(cast(:name as text)))")
_DECODER = """
import socket, sys
from common.service.sandbox import leave_network
left = leave_network()
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
except OSError:
    print(left, "cut")
else:
    print(left, "open")
"""


async def test_an_idempotency_key_of_another_network_is_another_one(
    migrated: DatabaseTemplate, servers_folder: Path
) -> None:
    url = migrated.new_database()
    async with running_control(url, servers_folder, trusted_proxies=1) as api:
        answers = [
            await api.http.post(
                "/v1/accounts",
                json={"name": "A", "email": f"{uuid4().hex}@people.example", "password": PASSWORD},
                headers={"Idempotency-Key": "1", "X-Forwarded-For": address},
            )
            for address in ("192.0.2.1", "198.51.100.1", "192.0.2.1")
        ]

    assert [answer.status_code for answer in answers] == [201, 201, 422]


@pytest.mark.parametrize(
    ("url", "sent"), [("https://ads.example", True), ("http://ads.example", False)]
)
async def test_hsts_is_sent_where_clients_use_https(
    migrated: DatabaseTemplate, servers_folder: Path, url: str, *, sent: bool
) -> None:
    async with running_control(migrated.new_database(), servers_folder, control_url=url) as api:
        answers = [await api.http.get(path) for path in ("/v1/me", "/sign-in")]

    assert ["strict-transport-security" in answer.headers for answer in answers] == [sent, sent]


async def test_a_second_factor_asks_for_the_password(api: ControlApi, owner: Person) -> None:
    path = "/v1/auth/totp"
    without = await api.http.post(path, headers=owner.headers, json={})
    wrong = await api.http.post(path, headers=owner.headers, json={"password": "not the password"})

    assert (without.status_code, code_of(without)) == (422, "validation_failed")
    assert code_of(wrong) == "invalid_grant"


async def test_a_form_that_hides_where_it_is_from_is_refused(api: ControlApi) -> None:
    forms = [
        await api.http.post("/sign-in", data={"email": "a"}, headers=headers)
        for headers in ({"Origin": "null"}, {"Origin": "http://127.0.0.1:8000"}, {})
    ]

    assert ["sent from another site" in form.text for form in forms] == [True, False, False]


def test_tokens_of_mails_appear_in_no_log() -> None:
    for prefix in ("pr", "ev", "iv"):
        assert redacted_text(f"{prefix}_8hQm0000000000") == f"{prefix}_…"


async def test_errors_of_the_database_repeat_no_parameter(database_url: str) -> None:
    database = Database(database_url)
    with pytest.raises(Exception, match="hidden") as caught:
        async with database.service() as session:
            await session.execute(_DIVIDE, {"name": "ana@people.example"})
    await database.close()

    assert "ana@people.example" not in str(caught.value)


def test_the_process_that_decodes_files_has_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = subprocess.run(
            [sys.executable, "-c", _DECODER, str(port)], capture_output=True, text=True, check=True
        )

    assert ran.stdout.split() in (["True", "cut"], ["False", "open"])
