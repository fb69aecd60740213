"""Whose address stands in the audit log and is limited: the peer's, or what trusted proxies saw."""

import pytest
from sqlalchemy import text

from tests.support.control_api import ControlApi, DatabaseTemplate, running_control
from tests.support.servers import PostgresServer

WRITTEN = "203.0.113.9, 198.51.100.7"


async def _origin(api: ControlApi) -> str:
    person = await api.sign_up()
    body = {"name": "News", "kind": "web", "domain": "news.example.com"}
    headers = person.headers | {"X-Forwarded-For": WRITTEN}
    made = await api.http.post("/v1/properties", json=body, headers=headers)
    async with api.control.database.service() as session:
        found = await session.scalar(
            text("select origin from audit_log where object_id = :id"), {"id": made.json()["id"]}
        )
    return str(found)


@pytest.mark.parametrize(
    ("proxies", "origin"), [(0, "127.0.0.1"), (1, "198.51.100.7"), (2, "203.0.113.9")]
)
async def test_the_audit_log_has_the_address_of_the_caller(
    migrated: DatabaseTemplate, postgres_server: PostgresServer, proxies: int, origin: str
) -> None:
    settings = {"trusted_proxies": proxies}
    async with running_control(migrated.new_database(), postgres_server.folder, **settings) as api:
        assert await _origin(api) == origin


async def test_unauthenticated_callers_behind_one_proxy_do_not_share_a_limit(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    settings = {"trusted_proxies": 1, "management_per_key_s": 1}

    async def call(address: str) -> int:
        headers = {"X-Forwarded-For": address}
        return (await api.http.post("/v1/accounts", json={}, headers=headers)).status_code

    async with running_control(migrated.new_database(), postgres_server.folder, **settings) as api:
        one = [await call("2001:db8::1") for _ in range(8)]
        same_network = await call("2001:db8::2")
        other = await call("2001:db9::1")

    assert one[-1] == 429
    assert same_network == 429
    assert other == 422
