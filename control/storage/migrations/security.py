"""
Who may touch which table, said once per table by the migration that makes it.

Two roles reach the tables. `placard_tenant` sees the rows of the account that its transaction names in
``app.account``, and none when it names none; `placard_service` sees all. Row-level security is forced, so that
the owner's own statements see nothing either. PUBLIC gets nothing.
"""

from alembic import op

TENANT = "placard_tenant"
SERVICE = "placard_service"
EVERYTHING = "select, insert, update, delete"
CURRENT_ACCOUNT = "nullif(current_setting('app.account', true), '')"
"""None outside a tenant's transaction: a comparison with it is true for no row."""


def protect(
    table: str,
    *,
    account_column: str = "account_id",
    tenant_may: str = EVERYTHING,
    service_may: str = EVERYTHING,
) -> None:
    """
    *table*'s rows belong to the account in *account_column*: a tenant reaches its own, the service all.

    *tenant_may* and *service_may* narrow the granted commands, columns too (``select, update (name)``). On a
    partitioned table call it for the parent; a partition reached by its own name needs its own call.
    """
    force(table)
    owned = f"{account_column}::text = {CURRENT_ACCOUNT}"
    allow(table, role=TENANT, using=owned, may=tenant_may)
    allow(table, role=SERVICE, using="true", may=service_may)


def service_only(table: str, *, service_may: str = EVERYTHING) -> None:
    """No tenant reaches *table*."""
    force(table)
    allow(table, role=SERVICE, using="true", may=service_may)


def force(table: str) -> None:
    """Close *table* to everybody, its owner included; `allow` then opens it."""
    op.execute(f"revoke all on {table} from public")
    op.execute(f"alter table {table} enable row level security")
    op.execute(f"alter table {table} force row level security")


def allow(table: str, *, role: str, using: str, may: str = EVERYTHING) -> None:
    """Let *role* do *may* on the rows for which the SQL condition *using* holds, before and after a write."""
    short = role.removeprefix("placard_")
    op.execute(
        f"create policy {table}_{short} on {table} to {role} using ({using}) with check ({using})"
    )
    op.execute(f"grant {may} on {table} to {role}")


def security_definer(signature: str) -> None:
    """
    Hand a ``security definer`` function to the service role and let tenants call it.

    *signature* is ``name(argument types)``. The function must fix its own ``search_path``.
    """
    op.execute(f"revoke all on function {signature} from public")
    op.execute(f"grant execute on function {signature} to {TENANT}, {SERVICE}")
    op.execute(f"grant create on schema public to {SERVICE}")  # what a function's owner must have
    op.execute(f"alter function {signature} owner to {SERVICE}")
    op.execute(f"revoke create on schema public from {SERVICE}")
