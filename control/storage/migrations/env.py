"""
Alembic's entry point. `control.storage.migrate` passes an open connection that acts as the owner. The `alembic` command
line has none, so it ends with an error that names the right command.
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
    """Partitions are created and dropped daily; `control.storage.tables` describes only their parents."""
    return frozenset(connection.scalars(text("select relname from pg_class where relispartition")))


def _all_but(partitions: frozenset[str]) -> Callable[..., bool]:
    def include(_item: Any, name: str | None, kind: str, *_: Any) -> bool:
        return not (kind == "table" and name in partitions)

    return include


run()
