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
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.demand.campaigns.queries import list_campaigns
from control.demand.campaigns.schemas import CampaignList
from control.foundation.principal import Principal
from control.processes.app import OPERATIONS
from tests.control.matrix_people import LIVE, Outsider
from tests.control.matrix_registry import Maker, exceptions, places_of, things
from tests.control.matrix_world import World, make_world
from tests.control.proof.rows import UUID, Rows
from tests.control.proof.stripped import stripped
from tests.support.control_api import ControlApi, Person

PROTECTED_OPERATIONS = [
    operation
    for operation in OPERATIONS
    if operation.auth
    and operation.id not in exceptions("endless")
    and all(place in things() for place in places_of(operation).values())
]
"""The matrix itself fails where a path names what no room makes."""
every_protected_operation = pytest.mark.parametrize(
    "operation", PROTECTED_OPERATIONS, ids=lambda operation: operation.id
)


@dataclass(frozen=True, slots=True)
class Ours:
    """The account that calls, with an object of every kind."""

    maker: Maker
    key: str
    """The text of an integration key with every scope on its property."""
    secret: str

    def callers(self, operation: Operation) -> dict[str, Outsider]:
        """Its credentials, at a door that takes them."""
        tokens = {
            Auth.ACCESS_TOKEN: self.maker.owner.access_token,
            Auth.INTEGRATION_KEY: self.key,
            Auth.SECRET_KEY: self.secret,
        }
        return {
            auth.value: Outsider(auth, tokens[auth]) for auth in operation.auth if auth in tokens
        }


@dataclass(slots=True)
class TwoAccounts:
    theirs: World
    their_ids: frozenset[str]
    """What stands in rows of the other account and in none of the first that called."""
    _ours: Ours

    async def ours(self) -> Ours:
        """A new one where an operation ended the session of its caller."""
        maker = self._ours.maker
        if not (await maker.api.http.get("/v1/me", headers=maker.owner.headers)).is_success:
            self._ours = await _make_ours(maker.api)
        return self._ours


async def _make_ours(api: ControlApi) -> Ours:
    maker = Maker(api, await api.sign_up())
    for place in things():
        await maker.id_of(place)
    site = maker.ids["properties"]
    key = await api.add_key(maker.owner, environment=LIVE, property_id=site)
    secret = await api.add_key(maker.owner, KeyKind.SECRET, LIVE, property_id=site)
    return Ours(maker, key.text.text, secret.text.text)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two(api: ControlApi, rows: Rows) -> AsyncIterator[TwoAccounts]:
    ours, theirs = await _make_ours(api), await make_world(api)
    our_ids = await rows.ids_of(ours.maker.owner.account_id)
    their_ids = await rows.ids_of(theirs.owner.account_id)
    yield TwoAccounts(theirs, their_ids - our_ids, ours)


@pytest.fixture(scope="module")
def forgetful(api: ControlApi, two: TwoAccounts) -> Iterator[list[str]]:
    """From here on no query of a tenant filters by account."""
    assert two
    with stripped(api.control.database._tenant) as forgotten:
        yield forgotten


async def test_without_filters_the_service_sees_both(api: ControlApi, two: TwoAccounts) -> None:
    """The measure itself: where no policy narrows, the stripped query gives everybody's rows."""
    owner = (await two.ours()).maker.owner
    requested = (_principal_of(owner), Environment.LIVE, CampaignList(limit=100), None)
    async with api.control.database.service() as session:
        kept = await list_campaigns(session, *requested)
    with stripped(api.control.database._service) as forgotten:
        async with api.control.database.service() as session:
            all_ = await list_campaigns(session, *requested)

    assert {row.account_id for row in kept} == {owner.account_id}
    assert {owner.account_id, two.theirs.owner.account_id} <= {row.account_id for row in all_}
    assert forgotten == ["campaigns.account_id"]


@every_protected_operation
async def test_nothing_of_another_account_is_shown(
    two: TwoAccounts, forgetful: list[str], operation: Operation
) -> None:
    """What the caller owns is named; whatever the answer is, nothing of the other account stands in it."""
    assert forgetful is not None
    ours = await two.ours()
    for who, caller in ours.callers(operation).items():
        answer = await two.theirs.call(operation, caller.token, ours.maker.ids)
        assert answer.status_code < 500, (who, answer.text)
        assert not two.their_ids & _words(answer), (who, answer.text)


@every_protected_operation
async def test_nothing_of_another_account_is_reached(
    two: TwoAccounts, rows: Rows, forgetful: list[str], operation: Operation
) -> None:
    """What the other account owns is named: it is not shown, and no row of it changes."""
    named = frozenset(two.theirs.objects.values())
    before = await rows.checksums_of(two.theirs.owner.account_id)
    ours = await two.ours()
    for who, caller in ours.callers(operation).items():
        answer = await two.theirs.call(operation, caller.token, two.theirs.objects)
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
