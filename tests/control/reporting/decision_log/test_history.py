"""Every version of the past, taken back from the present, is the one that edges had: to the digest."""

import pytest

from common.snapshot.digest import state_digest, to_text
from common.snapshot.messages import FullState
from common.values.environment import Environment
from control.outbox.outbox_reader import find_step
from control.outbox.state import load_full
from control.reporting.decision_log.past_snapshots import (
    VersionExpired,
    get_version,
    read_state,
    version_at,
)
from tests.control.reporting.decision_log.world import World


async def fulls(world: World) -> FullState:
    return await load_full(world.api.control.database, world.environment)


async def test_each_version_has_the_objects_it_had(world: World) -> None:
    """This account's part of the state, remembered at every step of its making."""
    account, database = world.customer.person.account_id, world.api.control.database
    remembered: dict[int, int] = {}

    async def remember() -> None:
        version = (await fulls(world)).version
        async with database.service() as session:
            state = await read_state(session, account, world.environment, version)
        remembered[version] = state_digest(state)

    await remember()
    first = await world.run_campaign(bid_cents=100)
    await remember()
    await world.run_campaign(bid_cents=300)
    await remember()
    await world.act(f"/v1/campaigns/{first}/pause")
    await remember()
    await world.act(f"/v1/campaigns/{first}/archive")
    await remember()

    async with database.service() as session:
        again = {
            version: state_digest(await read_state(session, account, world.environment, version))
            for version in remembered
        }
    assert again == remembered
    assert len(set(remembered.values())) == 5


async def test_before_the_account_there_was_nothing(world: World) -> None:
    async with world.api.control.database.service() as session:
        state = await read_state(session, world.customer.person.account_id, Environment.TEST, 0)

    assert state == []


async def test_a_version_is_known_by_the_epoch_it_was_made_in(world: World) -> None:
    head = await fulls(world)
    database = world.api.control.database
    async with database.service() as session:
        assert (await get_version(session, head.version)).epoch == head.epoch
        assert (await get_version(session, head.version, head.epoch)).number == head.version
        for version, epoch in ((head.version, "another"), (head.version + 1, None), (-1, None)):
            with pytest.raises(VersionExpired):
                await get_version(session, version, epoch)


async def test_an_instant_leads_to_the_version_that_was_the_head(world: World) -> None:
    database = world.api.control.database
    head = await fulls(world)
    step = await find_step(database, head.version)
    assert step is not None
    assert head.digest == to_text(int(step.digest_test))
    async with database.service() as session:
        assert (await version_at(session, step.at)).number == head.version
