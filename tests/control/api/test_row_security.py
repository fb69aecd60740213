"""The net under every query: a tenant's transaction reaches its own account's rows and no others."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from control.storage.database import DatabaseRole, open_engine
from tests.support.control_api import ControlApi, Person

_OWNED = ("accounts", "users", "memberships", "access_tokens", "audit_log", "properties", "keys")


@pytest.fixture(scope="module")
async def two_tenants(api: ControlApi, owner: Person) -> Person:
    other = await api.sign_up()
    await api.add_key(owner)
    await api.add_key(other)
    return other


async def _count(api: ControlApi, account_id: str | None, table: str) -> int:
    database = api.control.database
    columns = "id" if table == "users" else "*"
    transaction = database.tenant(account_id) if account_id is not None else database.nobody()
    async with transaction as session:
        rows = await session.execute(text(f"select {columns} from {table}"))  # noqa: S608 - a name from above
        return len(rows.all())


@pytest.mark.parametrize("table", _OWNED)
@pytest.mark.usefixtures("two_tenants")
async def test_tenant_sees_its_own_rows_only(api: ControlApi, owner: Person, table: str) -> None:
    async with api.control.database.service() as session:
        everything = await session.scalar(text(f"select count(*) from {table}"))  # noqa: S608 - a name from above

    own = await _count(api, owner.account_id, table)
    assert 0 < own < (everything or 0)


@pytest.mark.parametrize("table", _OWNED)
@pytest.mark.parametrize("account_id", [None, "", "somebody"])
async def test_without_an_account_no_rows_are_visible(
    api: ControlApi, table: str, account_id: str | None
) -> None:
    assert await _count(api, account_id, table) == 0


async def test_account_of_one_transaction_is_unknown_to_the_next(
    api: ControlApi, owner: Person
) -> None:
    assert await _count(api, owner.account_id, "accounts") == 1
    assert await _count(api, None, "accounts") == 0


async def test_tenant_cannot_write_into_another_account(
    api: ControlApi, owner: Person, two_tenants: Person
) -> None:
    async with api.control.database.tenant(owner.account_id) as session:
        with pytest.raises(ProgrammingError, match="row-level security"):
            await session.execute(
                text(
                    "insert into memberships (account_id, user_id, role, created_at)"
                    " values (:account, :user, 'owner', now())"
                ),
                {"account": two_tenants.account_id, "user": owner.user_id},
            )
        await session.rollback()


async def test_tenant_cannot_reach_another_accounts_rows_by_update(
    api: ControlApi, owner: Person, two_tenants: Person
) -> None:
    async with api.control.database.tenant(owner.account_id) as session:
        found = await session.execute(
            text("update properties set name = 'taken' where account_id = :id returning id"),
            {"id": two_tenants.account_id},
        )
        assert found.all() == []


async def test_tenant_cannot_reference_another_accounts_property(
    api: ControlApi, owner: Person, two_tenants: Person
) -> None:
    own, foreign = await api.add_property(owner), await api.add_property(two_tenants)
    async with api.control.database.tenant(owner.account_id) as session:
        with pytest.raises(IntegrityError, match="fk_slots_account_id_property_id_properties"):
            await session.execute(
                text(
                    "insert into slots select gen_random_uuid(), account_id, :foreign, 'k', 'n', '[]', '[]', 0,"
                    " null, null, '[]', '[]', '{}', 'active', 1, now(), now() from properties where id = :own"
                ),
                {"own": own, "foreign": foreign},
            )
        await session.rollback()


@pytest.mark.parametrize(
    "statement",
    [
        "select password_hash from users",
        "update accounts set is_operator = true",
        "update accounts set state = 'active'",
        "delete from audit_log",
        "update campaign_spend set spent_micros = 0",
        "insert into accounts (id) values ('x')",
        "select * from alembic_version",
        "create table mine (a int)",
    ],
)
async def test_tenant_may_not(api: ControlApi, owner: Person, statement: str) -> None:
    async with api.control.database.tenant(owner.account_id) as session:
        with pytest.raises(ProgrammingError, match="permission denied"):
            await session.execute(text(statement))
        await session.rollback()


async def test_even_the_owner_of_the_tables_sees_no_rows(database_url: str, owner: Person) -> None:
    engine = open_engine(database_url, DatabaseRole.OWNER)
    async with engine.connect() as connection:
        found = await connection.scalar(text("select count(*) from accounts"))
    await engine.dispose()

    assert owner.account_id
    assert found == 0


async def test_every_table_is_behind_forced_row_level_security(api: ControlApi) -> None:
    async with api.control.database.service() as session:
        open_tables = await session.scalars(
            text(
                "select relname from pg_class join pg_namespace n on n.oid = relnamespace"
                " where nspname = 'public' and relkind in ('r', 'p')"
                " and not (relrowsecurity and relforcerowsecurity)"
            )
        )

    assert set(open_tables) == {"alembic_version"}


async def test_the_public_role_has_no_privileges(api: ControlApi) -> None:
    async with api.control.database.service() as session:
        granted = await session.scalars(
            text(
                "select table_name from information_schema.role_table_grants"
                " where grantee = 'PUBLIC' and table_schema = 'public'"
            )
        )
        callable_by_all = await session.scalars(
            text(
                "select proname from pg_proc join pg_namespace n on n.oid = pronamespace"
                " where nspname = 'public' and has_function_privilege('pg_monitor', pg_proc.oid, 'execute')"
            )
        )

    assert granted.all() == []
    assert callable_by_all.all() == []
