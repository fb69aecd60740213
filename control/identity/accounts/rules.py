"""Account status, pure: the state, its reason, and the allowed transitions."""

from dataclasses import dataclass
from enum import StrEnum

from common.values.enums import AccountState


class StateReason(StrEnum):
    PAYMENT_FAILED = "payment_failed"
    SUBSCRIPTION_ENDED = "subscription_ended"
    OPERATOR = "operator"
    CLOSED = "closed"


class StatusCause(StrEnum):
    """
    Causes of a status change: the first five come from billing, the next two from an operator,
    the last from the owner.
    """

    PAYMENT_FAILED = "payment_failed"
    GRACE_ENDED = "grace_ended"
    SUBSCRIPTION_ENDED = "subscription_ended"
    PAID = "paid"
    SUBSCRIBED = "subscribed"
    SUSPENDED = "suspended"
    ACTIVATED = "activated"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class AccountStatus:
    """``reason`` is None if and only if the state is active."""

    state: AccountState
    reason: StateReason | None


ACTIVE = AccountStatus(AccountState.ACTIVE, None)
PAST_DUE = AccountStatus(AccountState.PAST_DUE, StateReason.PAYMENT_FAILED)
UNPAID = AccountStatus(AccountState.SUSPENDED, StateReason.PAYMENT_FAILED)
UNSUBSCRIBED = AccountStatus(AccountState.SUSPENDED, StateReason.SUBSCRIPTION_ENDED)
BY_OPERATOR = AccountStatus(AccountState.SUSPENDED, StateReason.OPERATOR)
CLOSED = AccountStatus(AccountState.SUSPENDED, StateReason.CLOSED)


def status_after(status: AccountStatus, cause: StatusCause) -> AccountStatus:
    """
    Returns the status after *cause*; the same status where the table has no entry.

    ============= ============== =========== ================== ====== ========== ========= ========= ======
    from          payment_failed grace_ended subscription_ended paid   subscribed suspended activated closed
    ============= ============== =========== ================== ====== ========== ========= ========= ======
    active        past due       –           unsubscribed       –      –          operator  –         closed
    past due      –              unpaid      unsubscribed       active –          operator  active    closed
    unpaid        –              –           unsubscribed       active –          operator  active    closed
    unsubscribed  –              –           –                  –      active     operator  active    closed
    by operator   –              –           –                  –      –          –         active    closed
    closed        –              –           –                  –      –          –         –         –
    ============= ============== =========== ================== ====== ========== ========= ========= ======

    Only an operator lifts an operator's suspension. Who activates an account pardons the invoices that are past due by
    then: billing reports only those that become so later.
    """
    return _NEXT.get(status, {}).get(cause, status)


_LATE = {
    StatusCause.SUBSCRIPTION_ENDED: UNSUBSCRIBED,
    StatusCause.PAID: ACTIVE,
    StatusCause.SUSPENDED: BY_OPERATOR,
    StatusCause.ACTIVATED: ACTIVE,
    StatusCause.CLOSED: CLOSED,
}
_NEXT: dict[AccountStatus, dict[StatusCause, AccountStatus]] = {
    ACTIVE: {
        StatusCause.PAYMENT_FAILED: PAST_DUE,
        StatusCause.SUBSCRIPTION_ENDED: UNSUBSCRIBED,
        StatusCause.SUSPENDED: BY_OPERATOR,
        StatusCause.CLOSED: CLOSED,
    },
    PAST_DUE: {StatusCause.GRACE_ENDED: UNPAID, **_LATE},
    UNPAID: _LATE,
    UNSUBSCRIBED: {
        StatusCause.SUBSCRIBED: ACTIVE,
        StatusCause.SUSPENDED: BY_OPERATOR,
        StatusCause.ACTIVATED: ACTIVE,
        StatusCause.CLOSED: CLOSED,
    },
    BY_OPERATOR: {StatusCause.ACTIVATED: ACTIVE, StatusCause.CLOSED: CLOSED},
    CLOSED: {},
}
