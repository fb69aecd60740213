"""The authoritative snapshot: its head, every object as edges hold it, and each step."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import BigInteger, Index, LargeBinary, Numeric, SmallInteger
from sqlmodel import Field

from control.storage.tables.base import Row, instant

_DIGEST = Numeric(78, 0)
"""256 bits."""


class SnapshotHeadRow(Row, table=True):
    """The one row that orders all changes. It stays locked from moving the head until the commit."""

    __tablename__ = "snapshot_head"

    id: int = Field(primary_key=True, sa_type=SmallInteger)
    """Always 1."""
    epoch: str
    version: int = Field(sa_type=BigInteger)
    digest_test: Decimal = Field(sa_type=_DIGEST)
    digest_live: Decimal = Field(sa_type=_DIGEST)
    compiled_as: int = 0
    """Compiler version that last compiled all objects: `control.delivery.snapshot_publishing.replay.COMPILED_AS`."""


class SnapshotObjectRow(Row, table=True):
    """An object at the head, as canonical JSON. ``environment`` None: edges of both environments hold it."""

    __tablename__ = "snapshot_objects"

    type: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    environment: str | None = None
    account_id: str = Field(foreign_key="accounts.id", index=True)
    body: bytes = Field(sa_type=LargeBinary)


class OutboxRow(Row, table=True):
    """
    One step from ``version - 1`` to ``version``. The digests are those after the step. ``entries`` is JSON:
    ``[[type, id, environment or null, body text or null], …]``.
    """

    __tablename__ = "outbox"

    version: int = Field(primary_key=True, sa_type=BigInteger)
    epoch: str
    at: datetime = instant(index=True)
    digest_test: Decimal = Field(sa_type=_DIGEST)
    digest_live: Decimal = Field(sa_type=_DIGEST)
    entries: bytes = Field(sa_type=LargeBinary)


class SnapshotPastRow(Row, table=True):
    """
    State of an object before ``until_version`` changed it; ``body`` None: it did not exist. Kept as long as the outbox.

    At any version, an object has the body of its first row with a later ``until_version``; without such a row, its
    current body.
    """

    __tablename__ = "snapshot_past"
    __table_args__ = (
        Index("ix_snapshot_past_account_id_until_version", "account_id", "until_version"),
    )

    type: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    until_version: int = Field(primary_key=True, sa_type=BigInteger)
    environment: str | None = None
    account_id: str
    at: datetime = instant(index=True)
    body: bytes | None = Field(default=None, sa_type=LargeBinary)
