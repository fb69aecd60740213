"""Where an account's standing leads, exhaustively."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from common.values.enums import AccountState
from control.identity.accounts.rules import (
    ACTIVE,
    BY_OPERATOR,
    CLOSED,
    PAST_DUE,
    UNPAID,
    UNSUBSCRIBED,
    AccountStatus,
    StatusCause,
    status_after,
)

STATUSES = (ACTIVE, PAST_DUE, UNPAID, UNSUBSCRIBED, BY_OPERATOR, CLOSED)
BILLING = set(StatusCause) - {StatusCause.SUSPENDED, StatusCause.ACTIVATED, StatusCause.CLOSED}


def _walk(causes: list[StatusCause]) -> AccountStatus:
    state = ACTIVE
    for cause in causes:
        state = status_after(state, cause)
    return state


def test_the_table_is_the_one_of_the_docstring() -> None:
    moves = {
        (before, cause): status_after(before, cause)
        for before, cause in product(STATUSES, StatusCause)
        if status_after(before, cause) != before
    }
    late = (PAST_DUE, UNPAID)

    assert moves == {
        (ACTIVE, StatusCause.PAYMENT_FAILED): PAST_DUE,
        (PAST_DUE, StatusCause.GRACE_ENDED): UNPAID,
        (ACTIVE, StatusCause.SUBSCRIPTION_ENDED): UNSUBSCRIBED,
        **{(before, StatusCause.SUBSCRIPTION_ENDED): UNSUBSCRIBED for before in late},
        **{(before, StatusCause.PAID): ACTIVE for before in late},
        (UNSUBSCRIBED, StatusCause.SUBSCRIBED): ACTIVE,
        **{
            (before, StatusCause.SUSPENDED): BY_OPERATOR
            for before in (ACTIVE, PAST_DUE, UNPAID, UNSUBSCRIBED)
        },
        **{
            (before, StatusCause.ACTIVATED): ACTIVE
            for before in (PAST_DUE, UNPAID, UNSUBSCRIBED, BY_OPERATOR)
        },
        **{(before, StatusCause.CLOSED): CLOSED for before in STATUSES if before != CLOSED},
    }


def test_billing_lifts_no_suspension_by_an_operator_or_the_owner() -> None:
    for state, cause in product((BY_OPERATOR, CLOSED), BILLING):
        assert status_after(state, cause) == state


@given(st.lists(st.sampled_from(list(StatusCause))))
def test_a_reason_stands_where_the_state_is_not_active(causes: list[StatusCause]) -> None:
    state = _walk(causes)

    assert state in STATUSES
    assert (state.reason is None) == (state.state is AccountState.ACTIVE)


@given(st.lists(st.sampled_from(list(StatusCause))), st.lists(st.sampled_from(list(StatusCause))))
def test_closed_is_for_good(before: list[StatusCause], later: list[StatusCause]) -> None:
    assert _walk([*before, StatusCause.CLOSED, *later]) == CLOSED
