"""Shared by all tables: constraint names, aware timestamps, text ids."""

from datetime import datetime
from typing import Any

from sqlalchemy import DateTime, ForeignKeyConstraint, MetaData
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = MetaData(naming_convention=NAMING)


class Row(SQLModel):
    """Parent of all table models. They validate nothing: only wire models parse input."""

    metadata = metadata


def instant(*, nullable: bool = False, index: bool = False) -> Any:
    """A timestamptz column."""
    default: Any = None if nullable else ...
    return Field(default, sa_type=DateTime(timezone=True), nullable=nullable, index=index)


def of_same_account(
    column: str, parent: str, *, ondelete: str | None = None
) -> ForeignKeyConstraint:
    """
    Makes *column* refer to a *parent* row of the same account. A foreign key on the id alone would not ensure that,
    because foreign keys ignore row-level security.
    """
    return ForeignKeyConstraint(
        ("account_id", column), (f"{parent}.account_id", f"{parent}.id"), ondelete=ondelete
    )


def json_column(default_factory: Any) -> Any:
    """A JSONB column that is never null."""
    return Field(default_factory=default_factory, sa_type=JSONB, nullable=False)


def message_parts() -> Any:
    """A JSONB column beside one with a message's English text: `Message.to_json`, for pages in other languages."""
    return Field(default=None, sa_type=JSONB(none_as_null=True), nullable=True)


__all__ = [
    "NAMING",
    "Row",
    "datetime",
    "instant",
    "json_column",
    "message_parts",
    "metadata",
    "of_same_account",
]
