"""When a shared secret may move on, to the microsecond."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from common.values.errors import Refused
from control.inventory.signing_secrets import rules
from control.storage.tables.properties import PropertySecretRow

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)
WAIT = timedelta(hours=25)
INSTANT = timedelta(microseconds=1)
COUNTED = timedelta(days=30, minutes=5)
CLICKS = timedelta(days=400)


def a_secret(**columns: Any) -> PropertySecretRow:
    """The one that signs, unless *columns* say otherwise."""
    default: dict[str, Any] = {"kid": 1, "state": "sign", "created_at": NOW}
    return PropertySecretRow(**default | columns)


@pytest.mark.parametrize(
    ("secret", "after", "moves"),
    [
        (a_secret(state="verify"), WAIT, (True, False, False)),
        (a_secret(state="verify"), WAIT - INSTANT, (False, False, False)),
        (a_secret(state="verify", signed_until=NOW), WAIT + COUNTED, (False, True, False)),
        (a_secret(state="verify", signed_until=NOW), WAIT + COUNTED - INSTANT, (False,) * 3),
        (a_secret(state="verify", signed_until=NOW), WAIT + CLICKS, (False, True, False)),
        (a_secret(state="retired", signed_until=NOW), WAIT + CLICKS, (False, False, True)),
        (a_secret(state="retired", signed_until=NOW), WAIT + CLICKS - INSTANT, (False,) * 3),
        (a_secret(), timedelta(days=4000), (False, False, False)),
    ],
)
def test_a_secret_moves_at_its_time_and_not_before(
    secret: PropertySecretRow, after: timedelta, moves: tuple[bool, bool, bool]
) -> None:
    now = NOW + after

    assert (
        rules.may_sign(secret, now, WAIT, None),
        rules.may_retire(secret, now, WAIT),
        rules.may_delete(secret, now, WAIT),
    ) == moves


@pytest.mark.parametrize(
    ("known_version", "acknowledged", "signs"),
    [(7, 7, True), (7, 8, True), (7, 6, False), (7, None, False), (None, 9, False)],
)
def test_a_secret_signs_as_soon_as_every_worker_has_it(
    known_version: int | None, acknowledged: int | None, *, signs: bool
) -> None:
    pending = a_secret(kid=2, state="verify", known_version=known_version)

    assert rules.may_sign(pending, NOW, WAIT, acknowledged) is signs
    assert not rules.may_sign(a_secret(known_version=known_version), NOW, WAIT, acknowledged)


def test_one_secret_signs_after_a_takeover() -> None:
    old, pending = a_secret(), a_secret(kid=2, state="verify")

    rules.take_over([old, pending], pending, NOW)

    assert (old.state, old.signed_until) == ("verify", NOW)
    assert (pending.state, pending.signed_until) == ("sign", None)


def test_a_running_rotation_says_when_it_signs() -> None:
    with pytest.raises(Refused, match="2027-01-16T09:00:00Z"):
        rules.check_can_rotate([a_secret(), a_secret(kid=2, state="verify")], WAIT)


def test_edges_carry_a_bounded_number_of_secrets() -> None:
    gone = [a_secret(kid=kid, state="retired", signed_until=NOW) for kid in range(1, 50)]

    rules.check_can_rotate([*gone[1:], a_secret(kid=50)], WAIT)
    with pytest.raises(Refused, match="400 days"):
        rules.check_can_rotate([*gone, a_secret(kid=50)], WAIT)
