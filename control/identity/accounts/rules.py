"""An account's standing, pure: its state, why it is so, and who may lead it where."""

from dataclasses import dataclass
from enum import StrEnum

from common.values.enums import AccountState


class StateReason(StrEnum):
    PAYMENT_FAILED = "payment_failed"
    SUBSCRIPTION_ENDED = "subscription_ended"
    OPERATOR = "operator"
    CLOSED = "closed"


class Cause(StrEnum):
    """What happened: the first five are billing's, the next two an operator's, the last the owner's."""

    PAYMENT_FAILED = "payment_failed"
    GRACE_ENDED = "grace_ended"
    SUBSCRIPTION_ENDED = "subscription_ended"
    PAID = "paid"
    SUBSCRIBED = "subscribed"
    SUSPENDED = "suspended"
    ACTIVATED = "activated"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Standing:
    """``reason`` is None where, and only where, the state is active."""

    state: AccountState
    reason: StateReason | None


ACTIVE = Standing(AccountState.ACTIVE, None)
PAST_DUE = Standing(AccountState.PAST_DUE, StateReason.PAYMENT_FAILED)
UNPAID = Standing(AccountState.SUSPENDED, StateReason.PAYMENT_FAILED)
UNSUBSCRIBED = Standing(AccountState.SUSPENDED, StateReason.SUBSCRIPTION_ENDED)
BY_OPERATOR = Standing(AccountState.SUSPENDED, StateReason.OPERATOR)
CLOSED = Standing(AccountState.SUSPENDED, StateReason.CLOSED)


def standing_after(standing: Standing, cause: Cause) -> Standing:
    """
    Where *cause* leads; the same standing where it has no say there.

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

    Only an operator lifts an operator's suspension. What billing missed meanwhile it says again when it next looks.
    """
    return _NEXT.get(standing, {}).get(cause, standing)


_LATE = {
    Cause.SUBSCRIPTION_ENDED: UNSUBSCRIBED,
    Cause.PAID: ACTIVE,
    Cause.SUSPENDED: BY_OPERATOR,
    Cause.ACTIVATED: ACTIVE,
    Cause.CLOSED: CLOSED,
}
_NEXT: dict[Standing, dict[Cause, Standing]] = {
    ACTIVE: {
        Cause.PAYMENT_FAILED: PAST_DUE,
        Cause.SUBSCRIPTION_ENDED: UNSUBSCRIBED,
        Cause.SUSPENDED: BY_OPERATOR,
        Cause.CLOSED: CLOSED,
    },
    PAST_DUE: {Cause.GRACE_ENDED: UNPAID, **_LATE},
    UNPAID: _LATE,
    UNSUBSCRIBED: {
        Cause.SUBSCRIBED: ACTIVE,
        Cause.SUSPENDED: BY_OPERATOR,
        Cause.ACTIVATED: ACTIVE,
        Cause.CLOSED: CLOSED,
    },
    BY_OPERATOR: {Cause.ACTIVATED: ACTIVE, Cause.CLOSED: CLOSED},
    CLOSED: {},
}
