"""Outgoing mails: queued in the transaction that they report on, sent by the scheduler."""

from datetime import datetime

from sqlalchemy import Index, LargeBinary, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class MailRow(Row, table=True):
    """``sealed``: the mail as JSON (`Purpose.MAILS`, bound to the id), because it may hold a one-time secret."""

    __tablename__ = "mails"
    __table_args__ = (
        Index(
            "ix_mails_due",
            "due_at",
            postgresql_where=text("sent_at is null and failed_at is null"),
        ),
        Index(
            "ix_mails_recipient",
            "recipient",
            "created_at",
            postgresql_where=text("recipient is not null"),
        ),
    )

    id: str = Field(primary_key=True)
    account_id: str | None = Field(None, foreign_key="accounts.id", index=True)
    kind: str
    """Subject of the mail, like ``invitation``: for operators and metrics."""
    sealed: str
    recipient: bytes | None = Field(None, sa_type=LargeBinary)
    """A keyed hash of the address, for kinds that are counted per address; None for all others."""
    created_at: datetime = instant()
    due_at: datetime = instant()
    """Not sent before; each failed attempt moves it on."""
    attempts: int = 0
    sent_at: datetime | None = instant(nullable=True)
    failed_at: datetime | None = instant(nullable=True)
    """When the mail was given up."""
    last_error: str | None = None
