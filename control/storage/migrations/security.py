"""
Access rights of tables, declared once per table by the migration that creates it.

Two roles access the tables. `placard_tenant` sees the rows of the account that its transaction sets in ``app.account``,
and no rows where none is set. `placard_service` sees all. Row-level security is forced, so that the owner's own
statements see nothing either. PUBLIC has no rights.
"""

from alembic import op

TENANT = "placard_tenant"
SERVICE = "placard_service"
EVERYTHING = "select, insert, update, delete"
CURRENT_ACCOUNT = "nullif(current_setting('app.account', true), '')"
"""Null outside a tenant's transaction, so that a comparison with it is true for no row."""


def protect(
    table: str,
    *,
    account_column: str = "account_id",
    tenant_may: str = EVERYTHING,
    service_may: str = EVERYTHING,
) -> None:
    """
    Restricts *table* to the account in *account_column*: a tenant reaches its own rows, the service all.

    *tenant_may* and *service_may* narrow the granted commands, also by column (``select, update (name)``).
    For a partitioned table, call it for the parent; a partition that is used by its own name needs its own call.
    """
    force(table)
    owned = f"{account_column}::text = {CURRENT_ACCOUNT}"
    allow(table, role=TENANT, using=owned, may=tenant_may)
    allow(table, role=SERVICE, using="true", may=service_may)


def service_only(table: str, *, service_may: str = EVERYTHING) -> None:
    """Grants *table* to the service only."""
    force(table)
    allow(table, role=SERVICE, using="true", may=service_may)


def force(table: str) -> None:
    """Revokes all rights on *table*, also its owner's; `allow` then grants some."""
    op.execute(f"revoke all on {table} from public")
    op.execute(f"alter table {table} enable row level security")
    op.execute(f"alter table {table} force row level security")


def allow(table: str, *, role: str, using: str, may: str = EVERYTHING) -> None:
    """Lets *role* run *may* on the rows for which the SQL condition *using* holds, before and after a write."""
    short = role.removeprefix("placard_")
    op.execute(
        f"create policy {table}_{short} on {table} to {role} using ({using}) with check ({using})"
    )
    op.execute(f"grant {may} on {table} to {role}")


def security_definer(signature: str) -> None:
    """
    Makes the service role own a ``security definer`` function, and lets tenants call it.

    *signature* is ``name(argument types)``. The function must fix its own ``search_path``.
    """
    op.execute(f"revoke all on function {signature} from public")
    op.execute(f"grant execute on function {signature} to {TENANT}, {SERVICE}")
    op.execute(f"grant create on schema public to {SERVICE}")  # a function's owner must have this
    op.execute(f"alter function {signature} owner to {SERVICE}")
    op.execute(f"revoke create on schema public from {SERVICE}")
