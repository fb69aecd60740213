"""The control plane's pools work with TLS, through a failover, behind a pooler, and with a replica."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from common.values.errors import Unavailable
from control.storage.database import Database, DatabaseRole
from control.storage.leader_election import Leadership, LeaderState, lead
from control.storage.migrate import migrate
from control.storage.postgres_connector import PostgresConnector
from tests.support.certificates import Authority
from tests.support.control_api import DatabaseTemplate
from tests.support.postgres_servers import PgBouncer, SecuredPostgres, StandbyPostgres
from tests.support.servers import PostgresServer, started
from tests.support.waiting import until

_ACCOUNT = "00000000-0000-0000-0000-000000000001"
_WHERE = "select current_user || ' ' || pg_is_in_recovery()"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def secured(servers_folder: Path, authority: Authority) -> Iterator[SecuredPostgres]:
    with started(SecuredPostgres(servers_folder / "pg-tls", authority)) as server:
        asyncio.run(migrate(server.url))
        yield server


@pytest.fixture
def primary(servers_folder: Path) -> Iterator[PostgresServer]:
    with started(PostgresServer(servers_folder / f"pg-{uuid4().hex[:12]}")) as server:
        asyncio.run(migrate(server.url))
        yield server


@pytest.fixture
def standby(servers_folder: Path, primary: PostgresServer) -> Iterator[StandbyPostgres]:
    folder = servers_folder / f"pg-{uuid4().hex[:12]}"
    with started(StandbyPostgres(folder, primary)) as server:
        yield server


@pytest.fixture(scope="module")
def pooler(servers_folder: Path, postgres_server: PostgresServer) -> Iterator[PgBouncer]:
    with started(PgBouncer(servers_folder / "pgbouncer", postgres_server)) as server:
        yield server


@asynccontextmanager
async def opened(url: str, **arguments: Any) -> AsyncIterator[Database]:
    database = Database(url, pool_size=2, **arguments)
    try:
        yield database
    finally:
        await database.close()


def both(first: PostgresServer, second: PostgresServer) -> str:
    """The URL with both as hosts."""
    return f"{first.url},{second.url.partition('?host=')[2]}"


async def written(database: Database) -> bool:
    """Whether a transaction that writes commits."""
    try:
        async with database.service() as session:
            await session.execute(text("update snapshot_head set version = version"))
    except Unavailable:
        return False
    return True


async def read(database: Database, *, is_steady: bool = True) -> str:
    async with database.tenant(_ACCOUNT, is_steady=is_steady) as session:
        return str(await session.scalar(text(_WHERE)))


async def test_a_verified_server_accepts_the_clients_certificate(
    secured: SecuredPostgres, authority: Authority
) -> None:
    certificate, key = authority.issue("placard")
    url = secured.tls_url(
        sslmode="verify-full", sslrootcert=authority.file, sslcert=certificate, sslkey=key
    )
    async with opened(url) as database:
        assert await written(database)
    connection = await PostgresConnector(url).connect()
    query = "select ssl from pg_stat_ssl where pid = pg_backend_pid()"
    assert await connection.fetchval(query) is True
    await connection.close()


async def test_a_server_of_another_authority_is_refused(
    secured: SecuredPostgres, tmp_path: Path
) -> None:
    other = Authority(tmp_path)
    url = secured.tls_url(sslmode="verify-full", sslrootcert=other.file)
    async with opened(url) as database:
        assert not await written(database)


async def test_a_client_without_a_certificate_is_refused(
    secured: SecuredPostgres, authority: Authority
) -> None:
    url = secured.tls_url(sslmode="verify-full", sslrootcert=authority.file)
    with pytest.raises(Exception, match="certificate"):
        await PostgresConnector(url).connect()


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_a_promoted_standby_takes_over(
    primary: PostgresServer, standby: StandbyPostgres, fault: str
) -> None:
    async with opened(both(primary, standby)) as database:
        assert await written(database)
        getattr(primary, fault)()
        standby.promote()
        await until(lambda: written(database))
        assert (await read(database)).endswith("false")


async def test_a_standby_is_not_written_to(
    primary: PostgresServer, standby: StandbyPostgres
) -> None:
    async with opened(both(standby, primary)) as database:
        assert await written(database)


async def test_reports_and_exports_read_from_the_replica(
    primary: PostgresServer, standby: StandbyPostgres
) -> None:
    async with opened(primary.url, read_url=standby.url) as database:
        assert await read(database) == f"{DatabaseRole.TENANT} true"
        async with database.snapshot(_ACCOUNT) as session:
            assert await session.scalar(text(_WHERE)) == f"{DatabaseRole.TENANT} true"
        assert await read(database, is_steady=False) == f"{DatabaseRole.TENANT} false"


async def test_reports_read_from_the_primary_while_the_replica_is_away(
    primary: PostgresServer, standby: StandbyPostgres
) -> None:
    standby.kill()
    async with opened(primary.url, read_url=standby.url) as database:
        assert await read(database) == f"{DatabaseRole.TENANT} false"


async def test_reports_read_from_the_primary_while_the_replica_is_behind(
    primary: PostgresServer, standby: StandbyPostgres
) -> None:
    standby.query("select pg_wal_replay_pause()")
    async with opened(primary.url, read_url=standby.url, read_max_lag_s=0.000_001) as database:
        assert await written(database)
        primary.query("create table later ()")

        async def is_left() -> bool:
            return await read(database) == f"{DatabaseRole.TENANT} false"

        await until(is_left)


async def test_transactions_through_a_pooler_have_their_role_account_and_limits(
    pooler: PgBouncer, migrated: DatabaseTemplate
) -> None:
    query = text(
        "select current_user, current_setting('app.account', true), "
        "current_setting('statement_timeout'), cast(:payload as jsonb)"
    )
    async with opened(
        pooler.url_of(migrated.new_database()), is_pooled=True, statement_s=7.0
    ) as database:

        async def run(number: int) -> None:
            account = f"00000000-0000-0000-0000-{number:012}"
            async with database.tenant(account, is_steady=number % 2 == 0) as session:
                row = (await session.execute(query, {"payload": '{"a": 1}'})).one()
                assert tuple(row) == (DatabaseRole.TENANT, account, "7s", {"a": 1})
            async with database.service() as session:
                row = (await session.execute(query, {"payload": "[]"})).one()
                assert (row[0], row[1] or "", row[2]) == (DatabaseRole.SERVICE, "", "7s")
            async with database.snapshot(account) as session:
                row = (await session.execute(query, {"payload": "[]"})).one()
                assert (row[0], row[1]) == (DatabaseRole.TENANT, account)
            found = await database.find("select current_user as role, $1::text as word", "x")
            assert found is not None
            assert tuple(found.values()) == (DatabaseRole.TENANT, "x")

        for first in range(0, 40, 4):
            await asyncio.gather(*(run(first + number) for number in range(4)))


async def test_no_statement_or_setting_stays_in_the_poolers_sessions(
    pooler: PgBouncer, migrated: DatabaseTemplate
) -> None:
    url = pooler.url_of(migrated.new_database())
    async with opened(url, is_pooled=True) as database:
        assert await written(database)
        await read(database)
    client = await PostgresConnector(url).connect(statement_cache_size=0)
    async with client.transaction():
        assert (
            await client.fetchval("select count(*) from pg_prepared_statements where name <> ''")
            == 0
        )
        assert await client.fetchval("select current_user") == "placard"
    await client.close()


async def test_a_leader_is_elected_again_on_the_promoted_standby(
    primary: PostgresServer, standby: StandbyPostgres
) -> None:
    states: list[LeaderState] = []
    forever = asyncio.Event()

    async def body() -> None:
        await forever.wait()

    async def leads() -> bool:
        return states[-1:] == [LeaderState.LEADER]

    task = asyncio.create_task(
        lead(both(primary, standby), Leadership.WORK, body, on_change=states.append)
    )
    try:
        await until(leads)
        primary.kill()
        await until(lambda: _is(states, LeaderState.DISCONNECTED))
        standby.promote()
        await until(leads)
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _is(states: list[LeaderState], last: LeaderState) -> bool:
    return states[-1] is last
