"""Replacing a property's shared secret: what was signed before, during and after each step verifies on every edge."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
import pytest_asyncio
from sqlmodel import col, delete, select

from common.snapshot.codec import parse_object
from common.snapshot.model import ObjectType, Property
from common.snapshot.status import WorkerStatus
from common.tracking.token import TokenTexts, TokenUse, parse_token, sign_token, verify_tag
from common.values.clock import FixedClock
from common.values.environment import Environment
from control.delivery.edge_status.ack_collector import AckCollector
from control.foundation.rate_limit import RateLimiter
from control.inventory.signing_secrets.jobs import advance_secret_rotation
from control.outbox.outbox_reader import read_head
from control.storage.tables.edges import EdgeWorkerRow
from control.storage.tables.outbox import SnapshotObjectRow
from control.storage.tables.properties import PropertySecretRow
from edge.state.signing_keys import SigningSecrets
from tests.support.control_api import ControlApi, code_of
from tests.support.memory_channel import MemorySnapshotChannel
from tests.support.resources import Customer
from tests.support.tokens import a_payload, text_at
from tests.support.waiting_jobs import work_waits

DAY_MS = 86_400_000
WAIT_MS = 90_000_000


class Edges:
    """A fresh edge and every older one: each snapshot of the property that was ever published."""

    def __init__(self, api: ControlApi, property_id: str, clock: FixedClock) -> None:
        self._api = api
        self._id = property_id
        self._clock = clock
        self._secrets = SigningSecrets(api.control.keys)
        self.seen: list[tuple[int, Property]] = []
        self.tokens: list[TokenTexts] = []

    async def adopt(self) -> Property:
        """What is published now. Every edge signs a token with what it has."""
        wanted = select(SnapshotObjectRow).where(col(SnapshotObjectRow.id) == self._id)
        async with self._api.control.database.service() as session:
            body = (await session.scalars(wanted)).one().body
        found = parse_object(ObjectType.PROPERTY, body)
        assert isinstance(found, Property)
        if not self.seen or self.seen[-1][1] != found:
            self.seen.append((self._clock.now_ms(), found))
        for prop in self.serving():
            kid, secret = self._secrets.signing(prop)
            payload = a_payload(kid=kid, property_id=UUID(self._id), token_id=uuid4())
            self.tokens.append(sign_token(payload, secret))
        return found

    def serving(self) -> list[Property]:
        """The newest snapshot, and those an edge may still serve from: no older than the wait."""
        oldest = self._clock.now_ms() - WAIT_MS
        after = [at for at, _ in self.seen[1:]] + [self._clock.now_ms() + 1]
        return [
            prop for (_, prop), replaced in zip(self.seen, after, strict=True) if replaced > oldest
        ]

    def verifies(self, prop: Property, token: TokenTexts, door: TokenUse = TokenUse.TRACK) -> bool:
        payload, raw, tag = parse_token(text_at(token, door))
        secret = self._secrets.find(prop, payload.kid)
        return secret is not None and verify_tag(raw, tag, door, secret)

    def signing_kid(self, prop: Property) -> int:
        return self._secrets.signing(prop)[0]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(1_800_000_000_000)


@pytest_asyncio.fixture(loop_scope="session")
async def timed(api: ControlApi, clock: FixedClock) -> AsyncIterator[ControlApi]:
    """The API in the time of the test's clock."""
    before = api.control.clock
    api.control.clock = clock
    api.control.limiter = RateLimiter()
    yield api
    api.control.clock = before
    api.control.limiter = RateLimiter()


@pytest_asyncio.fixture(loop_scope="session")
async def customer(timed: ControlApi) -> Customer:
    return Customer(timed, await timed.sign_up())


async def acknowledge(
    api: ControlApi, versions: dict[str, int], *, epoch: str | None = None
) -> None:
    """Each worker reports its version now; the others keep theirs."""
    clock = api.control.clock
    epoch = epoch or (await read_head(api.control.database)).epoch
    reported = [
        WorkerStatus(name, epoch, version, "", ok=True, reason=None, age_s=0, at_ms=clock.now_ms())
        for name, version in versions.items()
    ]
    reports = AckCollector(api.control.database, MemorySnapshotChannel(), clock)
    await reports.receive_pushed(Environment.LIVE, orjson.dumps(reported))


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def without_earlier_workers(timed: ControlApi) -> None:
    """Workers of the test before are gone."""
    async with timed.control.database.service() as session:
        await session.execute(delete(EdgeWorkerRow))


async def states_of(api: ControlApi, property_id: str) -> dict[int, str]:
    wanted = select(PropertySecretRow).where(col(PropertySecretRow.property_id) == property_id)
    async with api.control.database.service() as session:
        return {row.kid: row.state for row in await session.scalars(wanted)}


async def rotated(customer: Customer, site: dict[str, Any]) -> dict[str, Any]:
    answer = await customer.post(f"/v1/properties/{site['id']}/secret/rotate")
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_new_secret_is_accepted_before_it_signs(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await edges.adopt()

    answer = await rotated(customer, site)
    prop = await edges.adopt()

    assert (answer["kid"], answer["state"], answer["replaces_kid"]) == (2, "verify", 1)
    assert [(secret.kid, secret.state.value) for secret in prop.secrets] == [
        (1, "sign"),
        (2, "verify"),
    ]


async def test_the_new_secret_signs_when_every_edge_had_time(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await rotated(customer, site)

    clock.advance(ms=WAIT_MS - 1)
    await advance_secret_rotation(customer.api.control)
    early = edges.signing_kid(await edges.adopt())
    clock.advance(ms=1)
    assert await work_waits(customer.api.control, advance_secret_rotation)
    await advance_secret_rotation(customer.api.control)
    late = edges.signing_kid(await edges.adopt())

    assert (early, late) == (1, 2)
    assert await states_of(customer.api, site["id"]) == {1: "verify", 2: "sign"}


async def test_a_rotation_waits_for_the_last_living_worker(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    head = (await read_head(customer.api.control.database)).version
    await acknowledge(customer.api, {"edge-1/0": head, "edge-1/1": head, "edge-2/0": head})
    await rotated(customer, site)
    kids = []
    for versions in (
        {"edge-1/0": head, "edge-1/1": head, "edge-2/0": head},
        {"edge-1/0": head + 1, "edge-1/1": head + 1, "edge-2/0": head},
        {"edge-1/0": head + 1, "edge-1/1": head + 1, "edge-2/0": head + 1},
    ):
        await acknowledge(customer.api, versions)
        await advance_secret_rotation(customer.api.control)
        kids.append(edges.signing_kid(await edges.adopt()))

    assert kids == [1, 1, 2]


async def test_a_worker_that_is_gone_is_not_waited_for(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await acknowledge(customer.api, {"edge-1/0": 0, "edge-9/0": 0})
    await rotated(customer, site)
    head = (await read_head(customer.api.control.database)).version
    clock.advance(ms=60_000)
    await acknowledge(customer.api, {"edge-1/0": head})
    await advance_secret_rotation(customer.api.control)

    assert edges.signing_kid(await edges.adopt()) == 2


async def test_a_worker_in_another_epoch_has_acknowledged_nothing(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await rotated(customer, site)
    await acknowledge(customer.api, {"edge-1/0": 1 << 40}, epoch="another")
    await advance_secret_rotation(customer.api.control)

    assert edges.signing_kid(await edges.adopt()) == 1


async def test_no_token_is_lost_at_any_step_on_any_edge(
    customer: Customer, clock: FixedClock
) -> None:
    """Two rotations, a step every two hours: what any edge signs verifies at once on every edge that may serve."""
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await edges.adopt()
    kids = set()
    for hour in range(0, 60, 2):
        if hour in (2, 30):
            await rotated(await signed_in(customer), site)
        await advance_secret_rotation(customer.api.control)
        kids.add(edges.signing_kid(await edges.adopt()))
        for token in edges.tokens:
            for prop in edges.serving():
                for door in TokenUse:
                    assert edges.verifies(prop, token, door), hour
        clock.advance(ms=7_200_000)

    assert kids == {1, 2, 3}


async def test_an_old_secret_retires_and_is_forgotten_after_its_clicks(
    customer: Customer, clock: FixedClock
) -> None:
    site = await customer.make_property()
    edges = Edges(customer.api, site["id"], clock)
    await edges.adopt()
    old = edges.tokens[0]
    await rotated(customer, site)
    clock.advance(ms=WAIT_MS)
    await advance_secret_rotation(customer.api.control)

    clock.advance(ms=32 * DAY_MS)
    await advance_secret_rotation(customer.api.control)
    retired = await states_of(customer.api, site["id"])
    still = edges.verifies(await edges.adopt(), old, TokenUse.CLICK)
    clock.advance(ms=370 * DAY_MS)
    await advance_secret_rotation(customer.api.control)
    gone = await edges.adopt()

    assert (retired, still) == ({1: "retired", 2: "sign"}, True)
    assert [secret.kid for secret in gone.secrets] == [2]
    assert await states_of(customer.api, site["id"]) == {2: "sign"}
    assert not edges.verifies(gone, old, TokenUse.CLICK)


async def test_a_second_rotation_waits_for_the_first(customer: Customer, clock: FixedClock) -> None:
    site = await customer.make_property()
    await rotated(customer, site)

    again = await customer.post(f"/v1/properties/{site['id']}/secret/rotate")
    clock.advance(ms=WAIT_MS)
    await advance_secret_rotation(customer.api.control)
    later = await rotated(await signed_in(customer), site)

    assert (again.status_code, code_of(again)) == (409, "invalid_state")
    assert later["kid"] == 3


async def test_moving_twice_does_no_harm(customer: Customer, clock: FixedClock) -> None:
    site = await customer.make_property()
    await rotated(customer, site)
    clock.advance(ms=WAIT_MS)
    edges = Edges(customer.api, site["id"], clock)

    await advance_secret_rotation(customer.api.control)
    first = await edges.adopt()
    await advance_secret_rotation(customer.api.control)

    assert await edges.adopt() == first


async def test_a_retried_rotation_is_one(customer: Customer) -> None:
    site = await customer.make_property()
    headers = {**customer.headers, "Idempotency-Key": "once"}
    path = f"/v1/properties/{site['id']}/secret/rotate"

    first = await customer.post(path, headers=headers)
    again = await customer.post(path, headers=headers)

    assert first.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
    assert await states_of(customer.api, site["id"]) == {1: "sign", 2: "verify"}


async def test_another_account_cannot_rotate_the_secret(
    customer: Customer, timed: ControlApi
) -> None:
    site = await customer.make_property()
    outsider = Customer(timed, await timed.sign_up())

    answer = await outsider.post(f"/v1/properties/{site['id']}/secret/rotate")

    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert await states_of(timed, site["id"]) == {1: "sign"}


async def signed_in(customer: Customer) -> Customer:
    """The same person, whose access token had run out."""
    tokens = (await customer.api.sign_in(customer.person.email)).json()
    person = replace(customer.person, access_token=tokens["access_token"])
    return Customer(customer.api, person)
