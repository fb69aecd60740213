"""Saved views of reports."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKeyConstraint, Index
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column


class ReportViewRow(Row, table=True):
    """A view of one member ends with the membership; one of the whole account stays."""

    __tablename__ = "report_views"
    __table_args__ = (
        Index("ix_report_views_list", "account_id", "environment", "id"),
        ForeignKeyConstraint(
            ("account_id", "owner_id"),
            ("memberships.account_id", "memberships.user_id"),
            ondelete="CASCADE",
        ),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    environment: str
    name: str
    question: dict[str, Any] = json_column(dict)
    """The parameters of the report that were sent; absent ones are chosen when the view is opened."""
    owner_id: str | None = None
    """The only member who sees it. None: everyone in the account."""
    created_by: str = Field(foreign_key="users.id")
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()
