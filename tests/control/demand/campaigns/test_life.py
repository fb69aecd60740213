"""
The life of a campaign and of an ad against a model: whatever verbs and changes come in whatever order, status and
refusals are those of the table.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from tests.support.control_api import ControlApi, code_of
from tests.support.resources import CONTENT, Customer

VERBS = ("activate", "pause", "resume", "approve", "reject", "archive")
STEPS = (*VERBS, "rename", "change", "demand", "let go")
LONG = 2_000

ALLOWED = {
    "draft": {"activate": "active", "archive": "archived"},
    "pending_review": {"approve": "active", "reject": "rejected", "archive": "archived"},
    "rejected": {"archive": "archived"},
    "active": {"pause": "paused", "archive": "archived"},
    "paused": {"activate": "active", "resume": "active", "archive": "archived"},
    "archived": {},
}


@dataclass
class Model:
    """What the documents promise, written once more without looking at the code."""

    is_ad: bool
    status: str = "draft"
    approved: bool = False
    demanded: bool = False
    version: int = 1
    trail: list[str] = field(default_factory=list)

    def verb(self, name: str) -> bool:
        """Whether it is allowed; moves there."""
        after = ALLOWED[self.status].get(name)
        if after is None:
            return False
        if after == "active" and name != "approve" and self.demanded and not self.approved:
            after = "pending_review"
        if name in ("approve", "reject"):
            self.approved = name == "approve"
        self.status = after
        self.version += 1
        return True

    def patch(self, *, seen: bool) -> bool:
        if self.status == "archived":
            return False
        if self.status == "rejected":
            self.status = "draft"
        elif seen and self.is_ad and self.demanded:
            moves = {"active": "pending_review", "paused": "draft", "pending_review": "draft"}
            self.status = moves.get(self.status, self.status)
        if seen and self.is_ad:
            self.approved = False
        self.version += 1
        return True


@dataclass
class Life:
    """One object of the running API beside its model."""

    api: ControlApi
    customer: Customer
    path: str
    model: Model

    async def step(self, name: str, number: int) -> None:
        self.model.trail.append(name)
        if name in ("demand", "let go"):
            await self._demand(name == "demand")
            return
        answer = await self._call(name, number)
        before = self.model.status
        allowed = (
            self.model.verb(name) if name in VERBS else self.model.patch(seen=name == "change")
        )
        assert (answer.status_code == 200) == allowed, (self.model.trail, answer.text)
        if not allowed:
            self._check_refusal(name, before, answer)
        shown = (await self.customer.get(self.path)).json()
        found = (shown["status"], shown["version"])
        assert found == (self.model.status, self.model.version), self.model.trail

    def _check_refusal(self, name: str, status: str, answer: Any) -> None:
        assert (answer.status_code, code_of(answer)) == (409, "invalid_state")
        if name in VERBS:
            text = answer.json()["error"].get("details") or []
            named = {detail["message"].split()[0].strip("`") for detail in text}
            assert named == set(ALLOWED[status]), self.model.trail

    async def _call(self, name: str, number: int) -> Any:
        if name in VERBS:
            body = {"reason": "No."} if name == "reject" else None
            return await self.customer.post(f"{self.path}/{name}", body)
        changed: dict[str, Any] = {"name": f"Name {number}"}
        if name == "change":
            text_ = f"Text {number}"
            changed = (
                {"content": CONTENT | {"alt": text_}}
                if self.model.is_ad
                else {"bid_cents": number + 1}
            )
        return await self.customer.patch(self.path, self.model.version, changed)

    async def _demand(self, demanded: bool) -> None:  # noqa: FBT001 - one flag, one caller
        self.model.demanded = demanded
        async with self.api.control.database.service() as session:
            await session.execute(
                text("update accounts set review_required = :demanded where id = :id"),
                {"demanded": demanded, "id": self.customer.person.account_id},
            )


Start = Callable[[Customer], Awaitable[str]]


async def a_campaign(customer: Customer) -> str:
    site = await customer.make_property()
    return f"/v1/campaigns/{(await customer.make_campaign(site['id']))['id']}"


async def an_ad(customer: Customer) -> str:
    campaign = (await a_campaign(customer)).rsplit("/", 1)[-1]
    return f"/v1/ads/{(await customer.make_ad(campaign))['id']}"


KINDS: dict[str, Start] = {"campaign": a_campaign, "ad": an_ad}


async def live(api: ControlApi, kind: str, steps: list[str]) -> None:
    customer = Customer(api, await api.sign_up())
    life = Life(api, customer, await KINDS[kind](customer), Model(is_ad=kind == "ad"))
    for number, name in enumerate(steps):
        await life.step(name, number)
        if life.model.status == "archived" and number > len(steps) // 2:
            life.path, life.model.status = await KINDS[kind](customer), "draft"
            life.model.version, life.model.approved = 1, False


@pytest.mark.parametrize("kind", KINDS)
async def test_any_order_of_verbs_and_changes_leads_where_the_table_says(
    api: ControlApi, kind: str
) -> None:
    loop = asyncio.get_running_loop()

    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(st.sampled_from(STEPS), min_size=8, max_size=25))
    def run(steps: list[str]) -> None:
        asyncio.run_coroutine_threadsafe(live(api, kind, steps), loop).result()

    await asyncio.to_thread(run)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
async def test_thousands_of_steps_lead_where_the_table_says(api: ControlApi, kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(LONG // 40):
        await live(api, kind, chance.choices(STEPS, k=40))
