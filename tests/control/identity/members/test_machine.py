"""However members come, change and leave: an owner remains, and nobody raises their own role."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.control.identity.members.machine import begin
from tests.support.control_api import ControlApi, DatabaseTemplate, running_control

ACTS = {"invite", "accept", "change", "remove", "leave"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def busy_api(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    """As many mails as it takes."""
    url = migrated.new_database()
    async with running_control(url, servers_folder, invitations_per_hour=100_000) as running:
        yield running


async def _walk(api: ControlApi, seed: int, steps: int) -> dict[str, int]:
    walk = await begin(api, seed)
    for _ in range(steps):
        await walk.step()
    return walk.done


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32))
async def test_an_owner_remains_and_nobody_raises_their_own_role(
    busy_api: ControlApi, seed: int
) -> None:
    done = await _walk(busy_api, seed, 60)

    assert {name.partition(":")[0] for name in done} == ACTS


@pytest.mark.long
async def test_an_owner_remains_after_two_thousand_steps(busy_api: ControlApi) -> None:
    done = await _walk(busy_api, 7, 2_000)

    assert {name for name in done if name.endswith("done")} == {f"{act}: done" for act in ACTS}
