"""Subscriptions, pure: the status of one, and whether its end may be moved."""

from datetime import datetime

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.billing.invoicing.schemas import SubscriptionStatus
from control.storage.tables.accounts import AccountRow


def status_of(row: AccountRow, now: datetime) -> SubscriptionStatus:
    if row.subscription_ended_at is not None:
        return SubscriptionStatus.ENDED
    ends_at = row.subscription_ends_at
    if ends_at is not None and ends_at <= now:
        return SubscriptionStatus.ACTIVE if row.subscription_renews else SubscriptionStatus.GRACE
    if row.trial_ends_at is not None and now < row.trial_ends_at:
        return SubscriptionStatus.TRIAL
    return SubscriptionStatus.ACTIVE


def check_has_term(row: AccountRow) -> None:
    """Raises 409 if the subscription has ended or has no end that could be moved."""
    if row.subscription_ended_at is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The subscription has ended. Ask the operator to start it again."),
        )
    if row.subscription_ends_at is None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The subscription has no term: it continues until somebody ends it."),
        )
