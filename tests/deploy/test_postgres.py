"""The embedded PostgreSQL comes back from whatever happened to it."""

import asyncpg
import pytest

from tests.support.servers import PostgresServer


async def test_a_new_database_is_empty(postgres_server: PostgresServer) -> None:
    connection = await asyncpg.connect(postgres_server.new_database())
    tables = await connection.fetch("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    await connection.close()
    assert tables == []


async def test_postgres_keeps_committed_rows_when_killed(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    postgres_server.kill()
    postgres_server.start()
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await connection.fetch("SELECT 1")
    again = await asyncpg.connect(url)
    assert await again.fetchval("SELECT n FROM kept") == 7
    await again.close()
