"""Assets."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (protect, service_only)

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _assets()
    _asset_objects()


def downgrade() -> None:
    op.drop_table("asset_objects")
    op.drop_table("assets")


def _assets() -> None:
    op.create_table(
        "assets",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("property_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("mime", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("media", JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("rejection_reason", sa.String(), nullable=True),
        sa.Column("object_name", sa.String(), nullable=True),
        sa.Column("upload_name", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("claimed_until", INSTANT, nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_assets_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "property_id"],
            ["properties.account_id", "properties.id"],
            name=op.f("fk_assets_account_id_property_id_properties"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assets")),
        sa.UniqueConstraint("account_id", "id", name=op.f("uq_assets_account_id_id")),
    )
    op.create_index("ix_assets_list", "assets", ["account_id", "environment", "id"])
    op.create_index(op.f("ix_assets_object_name"), "assets", ["object_name"])
    op.create_index(op.f("ix_assets_upload_name"), "assets", ["upload_name"])
    op.create_index(
        "ix_assets_open",
        "assets",
        ["status", "updated_at"],
        postgresql_where=sa.text("status in ('uploading', 'processing')"),
    )
    one_of("assets", "environment", "test", "live")
    one_of("assets", "kind", "image", "video", "audio", "html")
    one_of("assets", "status", "uploading", "processing", "ready", "rejected", "archived")
    check("assets", "bytes", "bytes > 0")
    check("assets", "ready", "status <> 'ready' or (object_name is not null and sha256 is not null)")
    check("assets", "rejection", "status <> 'rejected' or rejection_reason is not null")
    protect("assets")


def _asset_objects() -> None:
    op.create_table(
        "asset_objects",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("claimed_at", INSTANT, nullable=False),
        sa.Column("removing_since", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_asset_objects")),
    )
    op.create_index(op.f("ix_asset_objects_claimed_at"), "asset_objects", ["claimed_at"])
    service_only("asset_objects")
