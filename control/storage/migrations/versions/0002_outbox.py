"""The snapshot's head, its objects, and the outbox that leads from version to version."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (SERVICE, TENANT, allow, force, protect, service_only)

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_DIGESTS = ("digest_test", "digest_live")


def upgrade() -> None:
    _head()
    _objects()
    _outbox()


def downgrade() -> None:
    op.drop_table("outbox")
    op.drop_table("snapshot_objects")
    op.drop_table("snapshot_head")


def _head() -> None:
    op.create_table(
        "snapshot_head",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.String(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        *_digests(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshot_head")),
    )
    check("snapshot_head", "id", "id = 1")
    op.execute("insert into snapshot_head values (1, gen_random_uuid()::text, 0, 0, 0)")
    service_only("snapshot_head", service_may="select, update")
    # Every transaction that changes what edges know moves the head; it tells nothing about any account.
    moved = ", ".join(("version", *_DIGESTS))
    allow("snapshot_head", role=TENANT, using="true", may=f"select, update ({moved})")


def _objects() -> None:
    op.create_table(
        "snapshot_objects",
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=True),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_snapshot_objects_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("type", "id", name=op.f("pk_snapshot_objects")),
    )
    op.create_index(op.f("ix_snapshot_objects_account_id"), "snapshot_objects", ["account_id"])
    one_of("snapshot_objects", "type", "account", "property", "slot", "key", "campaign", "ad")
    one_of("snapshot_objects", "environment", "test", "live")
    protect("snapshot_objects")


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.String(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        *_digests(),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_at"), "outbox", ["at"])
    force("outbox")
    allow("outbox", role=SERVICE, using="true")
    # A tenant leaves its own changes there, and reads nobody's.
    allow("outbox", role=TENANT, using="true", may="insert")


def _digests() -> list[sa.Column[object]]:
    return [sa.Column(name, sa.Numeric(78, 0), nullable=False) for name in _DIGESTS]
