"""Making, showing and revoking keys."""

from datetime import timedelta

import pytest

from common.contract.permissions import Role
from common.service.secrets import KeyRing, SealBroken
from common.values.errors import ErrorCode, Refused
from common.values.keys import KeyKind, find_key_text
from control.api.key_status import KeyStatus, status_of
from control.inventory.api_keys import rules
from tests.support.rows import NOW, a_key_row, a_principal

KEYS = KeyRing("k1", {"k1": bytes(32)})


def test_a_made_key_is_stored_as_its_hash() -> None:
    row = a_key_row(kind="secret", environment="test")

    text = rules.made(row, KEYS)

    parsed = find_key_text(text.text)
    assert parsed is not None
    assert (parsed.kind, parsed.environment) == (KeyKind.SECRET, "test")
    assert (row.hash, row.last4) == (text.hash, text.text[-4:])


def test_a_publishable_key_is_shown_again() -> None:
    row = a_key_row(kind="publishable")

    text = rules.made(row, KEYS)

    assert rules.shown_text(row, KEYS) == text.text


@pytest.mark.parametrize("kind", ["secret", "integration"])
def test_other_keys_are_never_shown_again(kind: str) -> None:
    row = a_key_row(kind=kind)

    rules.made(row, KEYS)

    assert rules.shown_text(row, KEYS) is None


def test_a_sealed_text_opens_for_its_own_key_only() -> None:
    row, other = a_key_row(), a_key_row()
    rules.made(row, KEYS)
    rules.made(other, KEYS)

    other.sealed_text = row.sealed_text

    with pytest.raises(SealBroken):
        rules.shown_text(other, KEYS)


def test_a_revoked_key_cannot_be_revoked_again() -> None:
    row = a_key_row()
    rules.revoke(row, NOW)

    with pytest.raises(Refused) as caught:
        rules.revoke(row, NOW)

    assert (caught.value.status, row.revoked_at) == (409, NOW)


def test_a_key_expires_at_its_instant() -> None:
    row = a_key_row(expires_at=NOW)

    assert status_of(row, NOW - timedelta(seconds=1)) is KeyStatus.ACTIVE
    assert status_of(row, NOW) is KeyStatus.EXPIRED


def test_nobody_gives_a_key_what_they_do_not_hold() -> None:
    maker = a_principal(role=Role.FINANCE)

    with pytest.raises(Refused) as caught:
        rules.check_scopes(["reports:read", "ad:read", "ad:write"], maker)

    assert caught.value.code is ErrorCode.PERMISSION_DENIED
    assert "`ad:read`, `ad:write`" in caught.value.message
    assert "reports:read" not in caught.value.message


@pytest.mark.parametrize(
    ("environment", "status", "address_verified", "blocked"),
    [
        ("live", "verified", True, None),
        ("live", "verified", False, "address_unverified"),
        ("live", "unverified", True, "property_unverified"),
        ("live", "suspended", True, "property_suspended"),
        ("test", "unverified", False, None),
    ],
)
def test_what_keeps_a_key_from_serving(
    environment: str, status: str, *, address_verified: bool, blocked: str | None
) -> None:
    state = rules.PropertyReadiness(status, address_verified)
    assert rules.blocked_by(a_key_row(environment=environment), state) == blocked
