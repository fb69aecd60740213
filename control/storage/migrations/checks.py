"""CHECK constraints named as in `control.storage.tables.base`. A closed set is VARCHAR with a CHECK."""

import sqlalchemy as sa
from alembic import op

INSTANT = sa.DateTime(timezone=True)


def check(table: str, name: str, condition: str) -> None:
    op.create_check_constraint(op.f(f"ck_{table}_{name}"), table, condition)


def one_of(table: str, column: str, *values: str) -> None:
    check(table, column, f"{column} in ({', '.join(repr(value) for value in values)})")
