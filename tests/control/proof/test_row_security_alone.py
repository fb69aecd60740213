"""
Two accounts with an object of every kind, every query robbed of its account filter: row-level security alone keeps
them apart. Generated from the registry, so that a new operation is in here the moment it is declared.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import httpx
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from common.contract.permissions import Role, permissions_of
from common.environment import Environment
from control.app import OPERATIONS
from control.campaigns.queries import list_campaigns
from control.campaigns.schemas import CampaignList
from control.principal import Principal
from tests.control.matrix_world import World, make_world
from tests.control.proof.rows import UUID, Rows
from tests.control.proof.stripped import stripped
from tests.support.control_api import ControlApi, Person

DOORS = [operation for operation in OPERATIONS if operation.auth]
every_door = pytest.mark.parametrize("operation", DOORS, ids=lambda operation: operation.id)


@dataclass(frozen=True, slots=True)
class TwoAccounts:
    ours: World
    theirs: World
    our_ids: frozenset[str]
    their_ids: frozenset[str]
    """What stands in rows of the one account and in none of the other."""

    def credentials(self, operation: Operation) -> dict[str, str]:
        """Of the account that calls."""
        tokens = {
            Auth.ACCESS_TOKEN: self.ours.owner.access_token,
            Auth.INTEGRATION_KEY: self.ours.tokens["integration key"],
            Auth.SECRET_KEY: self.ours.tokens["secret key"],
        }
        return {auth.value: tokens[auth] for auth in operation.auth if auth in tokens}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two(api: ControlApi, rows: Rows) -> AsyncIterator[TwoAccounts]:
    ours, theirs = await make_world(api), await make_world(api)
    our_ids = await rows.ids_of(ours.owner.account_id)
    their_ids = await rows.ids_of(theirs.owner.account_id)
    yield TwoAccounts(ours, theirs, our_ids - their_ids, their_ids - our_ids)


@pytest.fixture(scope="module")
def forgetful(api: ControlApi, two: TwoAccounts) -> Iterator[list[str]]:
    """From here on no query of a tenant filters by account."""
    assert two
    with stripped(api.control.database._tenant) as forgotten:
        yield forgotten


async def test_without_filters_the_service_sees_both(api: ControlApi, two: TwoAccounts) -> None:
    """The measure itself: where no policy narrows, the stripped query gives everybody's rows."""
    principal = _principal_of(two.ours.owner)
    async with api.control.database.service() as session:
        kept = await list_campaigns(session, principal, Environment.LIVE, CampaignList(), None)
    with stripped(api.control.database._service) as forgotten:
        async with api.control.database.service() as session:
            all_ = await list_campaigns(session, principal, Environment.LIVE, CampaignList(), None)

    assert {row.account_id for row in kept} == {two.ours.owner.account_id}
    assert {row.account_id for row in all_} == {
        two.ours.owner.account_id,
        two.theirs.owner.account_id,
    }
    assert forgotten == ["campaigns.account_id"]


@every_door
async def test_nothing_of_another_account_is_shown(
    two: TwoAccounts, forgetful: list[str], operation: Operation
) -> None:
    """What the caller owns is named; whatever the answer is, nothing of the other account stands in it."""
    assert forgetful is not None
    for who, token in two.credentials(operation).items():
        answer = await two.ours.call(operation, token, two.ours.objects)
        assert answer.status_code < 500, (who, answer.text)
        assert not two.their_ids & _words(answer), (who, answer.text)


@every_door
async def test_nothing_of_another_account_is_reached(
    two: TwoAccounts, rows: Rows, forgetful: list[str], operation: Operation
) -> None:
    """What the other account owns is named: it is not shown, and no row of it changes."""
    named = frozenset(two.theirs.objects.values())
    before = await rows.checksums_of(two.theirs.owner.account_id)
    for who, token in two.credentials(operation).items():
        answer = await two.ours.call(operation, token, two.theirs.objects)
        assert answer.status_code < 500, (who, answer.text)
        assert not (two.their_ids - named) & _words(answer), (who, answer.text)
        if operation.path_params:
            assert answer.status_code in (403, 404), (who, answer.text)

    assert await rows.checksums_of(two.theirs.owner.account_id) == before
    assert forgetful


def _words(answer: httpx.Response) -> frozenset[str]:
    """Every id in the body and the headers."""
    return frozenset(UUID.findall(answer.text + str(answer.headers)))


def _principal_of(person: Person) -> Principal:
    return Principal(
        auth=Auth.ACCESS_TOKEN,
        account_id=person.account_id,
        user_id=person.user_id,
        role=Role.OWNER,
        is_operator=False,
        permissions=permissions_of(Role.OWNER, operator=False),
        scopes=frozenset(),
        lost=frozenset(),
        key_id=None,
        environment=None,
        property_id=None,
    )
