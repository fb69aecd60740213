"""What was delivered of campaigns, and what was learned of ads, travel in the snapshot."""

from alembic import op

from control.storage.migrations.checks import one_of

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BEFORE = ("account", "property", "slot", "key", "campaign", "ad")
_ADDED = ("pace", "rates")


def upgrade() -> None:
    _allow(*_BEFORE, *_ADDED)


def downgrade() -> None:
    """Edges load everything again where the objects at the head no longer add up: `begin_epoch`."""
    op.execute("delete from snapshot_objects where type in ('pace', 'rates')")
    _allow(*_BEFORE)


def _allow(*types: str) -> None:
    op.drop_constraint(op.f("ck_snapshot_objects_type"), "snapshot_objects")
    one_of("snapshot_objects", "type", *types)
