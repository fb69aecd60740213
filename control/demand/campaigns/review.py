"""
Review of campaigns and ads, the same for both: when it is demanded, and how a decision is stored. Pure.

Review applies only in live, and only if the account demands it. Then nothing unapproved becomes `active`: any verb
that would start it leads to `pending_review`.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from common.values.clock import to_iso
from common.values.environment import Environment
from control.storage.tables.accounts import AccountRow

ACTIVE, PENDING_REVIEW = "active", "pending_review"
"""Statuses that campaigns and ads share."""


class Decision(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"


class Reviewed(Protocol):
    environment: str
    status: str
    review: dict[str, Any] | None


def is_demanded(account: AccountRow, environment: str) -> bool:
    return account.review_required and environment == Environment.LIVE


def is_approved(row: Reviewed) -> bool:
    return row.review is not None and row.review["decision"] == Decision.APPROVED


def start(row: Reviewed, status: str, *, demanded: bool) -> None:
    """Set *status*, or `pending_review` if *status* is active, review is demanded and *row* is not approved."""
    row.status = status
    if status == ACTIVE and demanded and not is_approved(row):
        row.status = PENDING_REVIEW
        row.review = None


def decide(
    row: Reviewed, decision: Decision, *, reason: str | None, by: str, now: datetime
) -> None:
    """Store the decision; *by* is the user's id."""
    row.review = {"decision": decision.value, "reason": reason, "at": to_iso(now), "by": by}
