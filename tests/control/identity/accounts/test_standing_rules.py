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
    Cause,
    Standing,
    standing_after,
)

STANDINGS = (ACTIVE, PAST_DUE, UNPAID, UNSUBSCRIBED, BY_OPERATOR, CLOSED)
BILLING = set(Cause) - {Cause.SUSPENDED, Cause.ACTIVATED, Cause.CLOSED}


def _walk(causes: list[Cause]) -> Standing:
    standing = ACTIVE
    for cause in causes:
        standing = standing_after(standing, cause)
    return standing


def test_the_table_is_the_one_of_the_docstring() -> None:
    moves = {
        (before, cause): standing_after(before, cause)
        for before, cause in product(STANDINGS, Cause)
        if standing_after(before, cause) != before
    }
    late = (PAST_DUE, UNPAID)

    assert moves == {
        (ACTIVE, Cause.PAYMENT_FAILED): PAST_DUE,
        (PAST_DUE, Cause.GRACE_ENDED): UNPAID,
        (ACTIVE, Cause.SUBSCRIPTION_ENDED): UNSUBSCRIBED,
        **{(before, Cause.SUBSCRIPTION_ENDED): UNSUBSCRIBED for before in late},
        **{(before, Cause.PAID): ACTIVE for before in late},
        (UNSUBSCRIBED, Cause.SUBSCRIBED): ACTIVE,
        **{
            (before, Cause.SUSPENDED): BY_OPERATOR
            for before in (ACTIVE, PAST_DUE, UNPAID, UNSUBSCRIBED)
        },
        **{
            (before, Cause.ACTIVATED): ACTIVE
            for before in (PAST_DUE, UNPAID, UNSUBSCRIBED, BY_OPERATOR)
        },
        **{(before, Cause.CLOSED): CLOSED for before in STANDINGS if before != CLOSED},
    }


def test_nothing_of_billing_lifts_what_an_operator_or_the_owner_did() -> None:
    for standing, cause in product((BY_OPERATOR, CLOSED), BILLING):
        assert standing_after(standing, cause) == standing


@given(st.lists(st.sampled_from(list(Cause))))
def test_a_reason_stands_where_the_state_is_not_active(causes: list[Cause]) -> None:
    standing = _walk(causes)

    assert standing in STANDINGS
    assert (standing.reason is None) == (standing.state is AccountState.ACTIVE)


@given(st.lists(st.sampled_from(list(Cause))), st.lists(st.sampled_from(list(Cause))))
def test_closed_is_for_good(before: list[Cause], later: list[Cause]) -> None:
    assert _walk([*before, Cause.CLOSED, *later]) == CLOSED
