"""What PostgreSQL's catalogue says of tables, roles and functions: nothing is open by oversight."""

from typing import Any

import pytest
from sqlalchemy import text

from control.storage.migrations.security import CURRENT_ACCOUNT, SERVICE, TENANT
from tests.control.proof.rows import Rows

_OPEN_TO_TENANTS = {"snapshot_head", "outbox", "edge_workers", "report_head", "report_store"}
"""
The head that every change moves, the steps a tenant adds to and never reads, which version edges have, up to when
reports are rolled up, and whether and up to when they were sent to ClickHouse: none of them reveals an account.
"""


async def _found(rows: Rows, statement: str, **values: Any) -> set[Any]:
    async with rows.engine.connect() as connection:
        return set(await connection.scalars(text(statement), values))


async def test_every_table_and_partition_is_behind_forced_security(rows: Rows) -> None:
    open_ = await _found(
        rows,
        "select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        " and not (relrowsecurity and relforcerowsecurity)",
    )

    assert open_ == {"alembic_version"}


async def test_a_tenants_policy_names_its_account(rows: Rows) -> None:
    """Permissive policies grant a tenant the rows of `app.account` alone. Restrictive ones only narrow that."""
    wide = await _found(
        rows,
        "select tablename from pg_policies where schemaname = 'public' and permissive = 'PERMISSIVE'"
        " and :tenant = any(roles)"
        " and (coalesce(qual, with_check) not like '%app.account%'"
        "      or coalesce(with_check, qual) not like '%app.account%')",
        tenant=TENANT,
    )

    assert "app.account" in CURRENT_ACCOUNT
    assert wide <= _OPEN_TO_TENANTS


async def test_a_table_of_accounts_compares_the_account(rows: Rows) -> None:
    """Each table with an account column is either closed to tenants or compares that very column."""
    lax = await _found(
        rows,
        "select tablename from pg_policies where schemaname = 'public' and permissive = 'PERMISSIVE'"
        " and :tenant = any(roles)"
        " and tablename in (select table_name from information_schema.columns"
        "                   where table_schema = 'public' and column_name = 'account_id')"
        " and not (qual ~ 'account_id.*app\\.account' and with_check ~ 'account_id.*app\\.account')",
        tenant=TENANT,
    )

    assert lax == set()


async def test_views_use_the_privileges_of_their_caller(rows: Rows) -> None:
    """A view's owner would be asked otherwise, and row-level security with it."""
    owners_eyes = await _found(
        rows,
        "select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')"
        " and not coalesce('security_invoker=true' = any(reloptions), false)",
    )

    assert owners_eyes == set()


@pytest.mark.parametrize("role", [TENANT, SERVICE])
async def test_a_working_role_holds_no_power(rows: Rows, role: str) -> None:
    powers = await _found(
        rows,
        "select true from pg_roles where rolname = :role and (rolsuper or rolbypassrls"
        " or rolcreaterole or rolcreatedb or rolcanlogin or rolinherit)",
        role=role,
    )
    owned = await _found(
        rows,
        "select relname from pg_class where relowner = cast(:role as regrole)",
        role=role,
    )
    becomes = await _found(
        rows,
        "select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid"
        " where m.member = cast(:role as regrole)",
        role=role,
    )
    makes = await _found(rows, "select has_schema_privilege(:role, 'public', 'create')", role=role)

    assert (powers, owned, becomes, makes) == (set(), set(), set(), {False})


async def test_no_role_truncates_or_ties_triggers(rows: Rows) -> None:
    """Neither looks at policies."""
    granted = await _found(
        rows,
        "select grantee || ' ' || privilege_type || ' ' || table_name"
        " from information_schema.role_table_grants where table_schema = 'public'"
        " and grantee in (:tenant, :service) and privilege_type in ('TRUNCATE', 'TRIGGER', 'REFERENCES')",
        tenant=TENANT,
        service=SERVICE,
    )

    assert granted == set()


async def test_a_security_definer_function_sets_its_search_path(rows: Rows) -> None:
    """Its search path is its own and ends in the caller's temporary schema, which could hide a table otherwise."""
    loose = await _found(
        rows,
        "select proname from pg_proc p where pronamespace = 'public'::regnamespace and prosecdef and not exists ("
        " select from unnest(proconfig) setting where setting ~ '^search_path=.*pg_temp$')",
    )

    assert loose == set()


async def test_a_security_definer_function_belongs_to_service_or_owner(rows: Rows) -> None:
    owners = await _found(
        rows,
        "select proowner::regrole::text from pg_proc where pronamespace = 'public'::regnamespace and prosecdef",
    )

    assert owners <= {SERVICE, "placard_owner"}


async def test_nobody_else_may_call_or_touch_anything(rows: Rows) -> None:
    """`pg_monitor` stands for any role that was granted nothing."""
    callable_ = await _found(
        rows,
        "select proname from pg_proc p where pronamespace = 'public'::regnamespace"
        " and has_function_privilege('pg_monitor', p.oid, 'execute')",
    )
    readable = await _found(
        rows,
        "select relname from pg_class c where relnamespace = 'public'::regnamespace"
        " and relkind in ('r', 'p', 'v', 'm', 'S')"
        " and has_table_privilege('pg_monitor', c.oid, 'select, insert, update, delete')",
    )

    assert (callable_, readable) == (set(), set())
