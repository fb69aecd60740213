"""Readiness, and a database that is away."""

from pathlib import Path

from sqlalchemy import text

from control.storage.database import open_engine
from control.storage.migrate import migrate
from tests.support.control_api import ControlApi, DatabaseTemplate, code_of, running_control
from tests.support.servers import PostgresServer


async def test_api_is_alive_and_ready(api: ControlApi) -> None:
    for path in ("/livez", "/readyz"):
        assert (await api.http.get(path)).status_code == 200


async def a_database_at(revision: str, migrated: DatabaseTemplate) -> str:
    url = migrated.new_database()
    login = open_engine(url, None)
    async with login.begin() as connection:
        await connection.execute(
            text("update alembic_version set version_num = :revision"), {"revision": revision}
        )
    await login.dispose()
    return url


async def test_api_is_ready_on_the_schema_of_a_newer_release(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    url = await a_database_at("newer", migrated)
    async with running_control(url, postgres_server.folder) as api:
        assert (await api.http.get("/readyz")).status_code == 200
        assert (await api.http.get("/docs/status")).status_code == 200


async def test_api_is_not_ready_on_an_older_schema(
    migrated: DatabaseTemplate, postgres_server: PostgresServer
) -> None:
    url = await a_database_at("0001", migrated)
    async with running_control(url, postgres_server.folder) as api:
        answer = await api.http.get("/readyz")
        page = await api.http.get("/docs/status")

    assert page.status_code == answer.status_code == 503
    assert "Not available: the database" in page.text
    assert "control migrate" in answer.json()["error"]["message"]


async def test_api_is_not_ready_on_an_empty_database(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    async with running_control(url, postgres_server.folder) as api:
        answer = await api.http.get("/readyz")

    assert (answer.status_code, code_of(answer)) == (503, "unavailable")


async def test_database_that_is_killed_is_503_until_it_is_back(servers_folder: Path) -> None:
    server = PostgresServer(servers_folder / "mortal")
    server.start()
    try:
        await migrate(server.url)
        async with running_control(server.url, servers_folder) as api:
            person = await api.sign_up()
            server.kill()
            away = await api.http.get("/v1/me", headers=person.headers)
            alive = await api.http.get("/livez")
            page = await api.http.get("/docs/status")
            server.start()
            back = [await api.http.get("/v1/me", headers=person.headers) for _ in range(5)]
    finally:
        server.stop()

    assert (away.status_code, code_of(away)) == (503, "unavailable")
    assert int(away.headers["retry-after"]) >= 1
    assert alive.status_code == 200
    assert page.status_code == 503
    assert "Not available: the database does not respond" in page.text
    assert back[-1].status_code == 200
