"""When a key was last used at an edge, and how long its minutes are kept."""

from datetime import timedelta

from sqlalchemy import text

from common.values.environment import Environment
from common.values.keys import KeyKind
from control.inventory.api_keys.jobs import update_key_last_used
from tests.support.control_api import ControlApi


async def test_a_key_that_edges_took_was_used(api: ControlApi) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, KeyKind.PUBLISHABLE, Environment.LIVE)
    now = api.control.clock.now().replace(second=0, microsecond=0)
    used_at, long_ago = now - timedelta(minutes=2), now - timedelta(days=1)
    async with api.control.database.service() as session:
        for at in (used_at, long_ago):
            await session.execute(
                text("insert into key_minutes values (:key, :at, :account, 1)"),
                {"key": key.id, "at": at, "account": person.account_id},
            )

    await update_key_last_used(api.control)

    shown = (await api.http.get(f"/v1/sdk-keys/{key.id}", headers=person.headers)).json()
    assert shown["last_used_at"] == f"{used_at:%Y-%m-%dT%H:%M:%S}.000Z"
    async with api.control.database.service() as session:
        kept = await session.execute(
            text("select minute from key_minutes where key_id = :key"), {"key": key.id}
        )
        assert list(kept.scalars()) == [used_at]
