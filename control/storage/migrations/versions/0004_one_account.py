"""
What belongs to a property or a campaign belongs to its account: a foreign key looks past row-level security, so with
the id alone a tenant's row could point at another account's.
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_PARENTS = ("properties", "campaigns")
_CHILDREN = (
    ("property_secrets", "property_id", "properties"),
    ("slots", "property_id", "properties"),
    ("keys", "property_id", "properties"),
    ("ads", "campaign_id", "campaigns"),
    ("campaign_spend", "campaign_id", "campaigns"),
)


def upgrade() -> None:
    for parent in _PARENTS:
        op.create_unique_constraint(
            op.f(f"uq_{parent}_account_id_id"), parent, ["account_id", "id"]
        )
    for child, column, parent in _CHILDREN:
        op.drop_constraint(op.f(f"fk_{child}_{column}_{parent}"), child, type_="foreignkey")
        op.create_foreign_key(
            op.f(f"fk_{child}_account_id_{column}_{parent}"),
            child,
            parent,
            ["account_id", column],
            ["account_id", "id"],
        )


def downgrade() -> None:
    for child, column, parent in _CHILDREN:
        op.drop_constraint(
            op.f(f"fk_{child}_account_id_{column}_{parent}"), child, type_="foreignkey"
        )
        op.create_foreign_key(
            op.f(f"fk_{child}_{column}_{parent}"), child, parent, [column], ["id"]
        )
    for parent in _PARENTS:
        op.drop_constraint(op.f(f"uq_{parent}_account_id_id"), parent, type_="unique")
