"""A steady transaction of a tenant: everything as it stood when it began to look, and nothing written."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.support.control_api import ControlApi, Person

_NAME = text("select name from accounts")
_RENAME = text("update accounts set name = :name where id = :id")


async def test_concurrent_writes_are_not_visible(api: ControlApi) -> None:
    person = await api.sign_up()
    database = api.control.database
    async with database.tenant(person.account_id, is_steady=True) as session:
        before = (await session.scalars(_NAME)).all()
        async with database.service() as other:
            await other.execute(_RENAME, {"name": "Meanwhile", "id": person.account_id})
        assert (await session.scalars(_NAME)).all() == before
    assert len(before) == 1

    async with database.tenant(person.account_id) as session:
        assert (await session.scalars(_NAME)).all() == ["Meanwhile"]


async def test_the_transaction_is_read_only_and_the_next_one_may_write(
    api: ControlApi, owner: Person
) -> None:
    database = api.control.database
    values = {"name": "Renamed", "id": owner.account_id}
    with pytest.raises(DBAPIError, match="read-only transaction"):
        async with database.tenant(owner.account_id, is_steady=True) as session:
            await session.execute(_RENAME, values)

    async with database.tenant(owner.account_id) as session:
        await session.execute(_RENAME, values)
        await session.rollback()
