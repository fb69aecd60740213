"""The state of the report store, and the queue of hours on their way to it (ADR 113)."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Identity, SmallInteger, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column
from control.storage.tables.events import Xid8


class ReportStoreRow(Row, table=True):
    """
    One row where the store is open. ``sent``: how many shipments left the queue; ``sent_tokens``: sum of their tokens.

    The next shipment holds the queue's rows up to (``next_xid``, ``next_id``) and has ``next_token``; None: it was not
    begun. ``as_of``: per environment, when the newest record was stored that reports show at least, and up to when
    they are complete (epoch ms). ``next_as_of`` replaces it once all transactions before ``next_as_of_xid`` were sent.
    """

    __tablename__ = "report_store"

    id: int = Field(
        1, primary_key=True, sa_type=SmallInteger, sa_column_kwargs={"server_default": "1"}
    )
    opened_at: datetime = instant()
    sent_at: datetime = instant()
    """When the store last received all of a shipment, or nothing waited."""
    max_behind_s: int
    """Ingest stops where ``sent_at`` is further back."""
    sent: int = Field(sa_type=BigInteger)
    sent_tokens: int = Field(sa_type=BigInteger)
    next_xid: int | None = Field(None, sa_column=Column(Xid8))
    next_id: int | None = Field(None, sa_type=BigInteger)
    next_token: int | None = Field(None, sa_type=BigInteger)
    as_of: dict[str, Any] = json_column(dict)
    next_as_of: dict[str, Any] | None = Field(None, sa_type=JSONB)
    next_as_of_xid: int | None = Field(None, sa_column=Column(Xid8))


class ReportStoreQueueRow(Row, table=True):
    """
    What a statement added to an hour: events by their reason, or decisions by their outcome, which have no source.

    ``xid``: the transaction that wrote it.
    """

    __tablename__ = "report_store_queue"

    xid: int = Field(
        sa_column=Column(Xid8, primary_key=True, server_default=text("pg_current_xact_id()"))
    )
    id: int | None = Field(
        None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True)
    )
    account_id: str
    is_test: bool
    kind: str
    hour: datetime = instant()
    property_id: uuid.UUID
    slot_id: uuid.UUID
    campaign_id: uuid.UUID | None = None
    ad_id: uuid.UUID | None = None
    reason: str
    country: str
    device: str
    format: str
    source: str
    surface: str
    attribution: str
    count: int = Field(sa_type=BigInteger)
    charged_micros: int = Field(sa_type=BigInteger)
    value_cents: int = Field(sa_type=BigInteger)
