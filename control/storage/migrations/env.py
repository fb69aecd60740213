"""
Alembic's entry point. `control.storage.migrate` hands over an open connection that acts as the owner; the `alembic`
command line has none, so it is told where the migrations are really run from.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from alembic import context
from sqlalchemy import Connection, text

from control.storage import tables
from control.storage.tables.base import metadata


def run() -> None:
    connection: Connection | None = context.config.attributes.get("connection")
    if connection is None:
        raise SystemExit("Migrations are run by `python -m control migrate`.")
    for module in iter_modules(tables.__path__):
        import_module(f"control.storage.tables.{module.name}")
    context.configure(
        connection=connection,
        target_metadata=metadata,
        include_object=_all_but(_partitions(connection)),
    )
    with context.begin_transaction():
        context.run_migrations()


def _partitions(connection: Connection) -> frozenset[str]:
    """They come and go by the day; `control.storage.tables` describes their parents only."""
    return frozenset(connection.scalars(text("select relname from pg_class where relispartition")))


def _all_but(partitions: frozenset[str]) -> Callable[..., bool]:
    def include(_item: Any, name: str | None, kind: str, *_: Any) -> bool:
        return not (kind == "table" and name in partitions)

    return include


run()
