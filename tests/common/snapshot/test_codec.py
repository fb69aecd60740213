"""Canonical bodies: a field added with a default disturbs nobody who does not use it."""

from hypothesis import given

from common.snapshot.codec import encode_object, parse_object
from common.snapshot.model import TYPE_OF, Account, ObjectType, SnapshotObject
from common.values.enums import AccountState
from tests.common.snapshot.strategies import few, objects


@few
@given(objects)
def test_an_encoded_object_is_read_back(item: SnapshotObject) -> None:
    assert parse_object(TYPE_OF[type(item)], encode_object(item)) == item


def test_a_funded_account_is_encoded_without_the_funded_field() -> None:
    body = encode_object(Account("a", AccountState.ACTIVE, stopped=False))

    assert body == b'{"id":"a","state":"active","stopped":false}'
    found = parse_object(ObjectType.ACCOUNT, body)
    assert isinstance(found, Account)
    assert found.funded


def test_an_account_without_money_is_encoded_as_unfunded() -> None:
    body = encode_object(Account("a", AccountState.ACTIVE, stopped=False, funded=False))

    assert body == b'{"funded":false,"id":"a","state":"active","stopped":false}'
