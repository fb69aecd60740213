"""An account's people as a random walk over the real API, and what must hold after every step of it."""

import random
from dataclasses import dataclass, field

import httpx

from common.contract.permissions import ROLE_PERMISSIONS, Permission, Role
from tests.control.identity.members.people import accept, an_email, sign_in, token_sent_to
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of


@dataclass(slots=True)
class Known:
    """Somebody in the model: who they are, and their role while they are a member."""

    person: Person
    member_id: str
    role: Role | None


@dataclass(slots=True)
class Walk:
    """The model beside the account. Each `step` does one act, foretells its answer, and compares the members."""

    api: ControlApi
    chance: random.Random
    people: list[Known]
    invited: dict[str, tuple[str, Role]] = field(default_factory=dict)
    """E-mail to the invitation's id and role."""
    inviters: dict[str, Known] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)

    @property
    def members(self) -> list[Known]:
        return [known for known in self.people if known.role is not None]

    async def step(self) -> None:
        actor = self.chance.choice(self.members)
        acts = (self.invite, self.accept, self.change, self.change, self.remove, self.leave)
        act = self.chance.choice(acts)
        await act(actor)
        await self.compare()

    async def invite(self, actor: Known) -> None:
        role, email = self.chance.choice(list(Role)), an_email()
        answer = await self._call(actor, "POST", "/v1/members", {"email": email, "role": role})
        if self._foretell("invite", answer, _may_give(actor.role, role)):
            self.invited[email] = (answer.json()["id"], role)
            self.inviters[email] = actor

    async def accept(self, _: Known) -> None:
        if not self.invited or len(self.members) > 8:
            return
        email = self.chance.choice(sorted(self.invited))
        answer = await accept(self.api, await token_sent_to(self.api, email))
        assert self._foretell("accept", answer, expected=True)
        member_id, role = self.invited.pop(email)
        made = answer.json()["member"]
        assert (made["id"], made["role"]) == (member_id, role)
        account_id = self.people[0].person.account_id
        person = await sign_in(self.api, account_id, made["user_id"], email)
        self.people.append(Known(person, member_id, role))

    async def change(self, actor: Known) -> None:
        target, after = self.chance.choice(self.members), self.chance.choice(list(Role))
        before = target.role
        path = f"/v1/members/{target.member_id}"
        read = await self.api.http.get(path, headers=self._top().person.headers)
        headers = {"If-Match": read.headers["etag"]}
        answer = await self._call(actor, "PATCH", path, {"role": after}, headers)
        if before is after:
            fine = Permission.MEMBER_WRITE in _held(actor.role)
        else:
            rises = target is actor and not _held(after) < _held(before)
            fine = _may(actor.role, before) and _may_give(actor.role, after) and not rises
            fine = fine and not self._is_last_owner(target)
        if self._foretell("change", answer, fine) and before is not after:
            target.role = after
            self._withdraw(target)
            target.person = await self._signed_in(target)

    async def remove(self, actor: Known) -> None:
        target = self.chance.choice(self.members)
        answer = await self._call(actor, "DELETE", f"/v1/members/{target.member_id}")
        fine = Permission.MEMBER_WRITE in _held(actor.role)
        fine = fine and (target is actor or _may(actor.role, target.role))
        if self._foretell("remove", answer, fine and not self._is_last_owner(target)):
            await self._gone(target)

    async def leave(self, actor: Known) -> None:
        answer = await self._call(actor, "POST", "/v1/members/leave")
        if self._foretell("leave", answer, not self._is_last_owner(actor)):
            await self._gone(actor)

    async def compare(self) -> None:
        """The API shows what the model says; an owner remains; who left is out."""
        headers = self._top().person.headers
        shown = (await self.api.http.get("/v1/members?limit=100", headers=headers)).json()["data"]
        assert len(shown) < 100
        expected = {known.member_id: str(known.role) for known in self.members}
        expected |= {member_id: str(role) for member_id, role in self.invited.values()}
        assert {one["id"]: one["role"] for one in shown} == expected
        assert any(one["role"] == "owner" and one["status"] == "active" for one in shown)

    def _foretell(self, name: str, answer: httpx.Response, expected: bool) -> bool:  # noqa: FBT001 - what was expected
        assert answer.is_success == expected, (name, answer.text)
        if not answer.is_success:
            assert code_of(answer) in {"permission_denied", "invalid_state"}
        outcome = f"{name}: {'done' if expected else 'refused'}"
        self.done[outcome] = self.done.get(outcome, 0) + 1
        return expected

    async def _call(
        self,
        actor: Known,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        every = {**actor.person.headers, **(headers or {})}
        return await self.api.http.request(method, path, json=body, headers=every)

    async def _gone(self, known: Known) -> None:
        known.role = None
        self._withdraw(known)
        answer = await self.api.http.get("/v1/me", headers=known.person.headers)
        assert code_of(answer) == "invalid_key"

    async def _signed_in(self, known: Known) -> Person:
        """Anew: the access tokens of a changed role have ended."""
        old = known.person
        ended = await self.api.http.get("/v1/me", headers=old.headers)
        assert code_of(ended) == "invalid_key"
        grant = {"grant_type": "refresh_token", "refresh_token": old.refresh_token}
        tokens = (await self.api.http.post("/v1/auth/token", json=grant)).json()
        return Person(
            old.account_id,
            old.user_id,
            old.email,
            tokens["access_token"],
            tokens["refresh_token"],
        )

    def _withdraw(self, inviter: Known) -> None:
        for email, (_, role) in list(self.invited.items()):
            if self.inviters[email] is inviter and not _may_give(inviter.role, role):
                del self.invited[email]

    def _is_last_owner(self, known: Known) -> bool:
        owners = [one for one in self.members if one.role is Role.OWNER]
        return owners == [known]

    def _top(self) -> Known:
        return next(known for known in self.members if known.role is Role.OWNER)


def _held(role: Role | None) -> frozenset[Permission]:
    return ROLE_PERMISSIONS[role] if role else frozenset()


def _may(actor: Role | None, role: Role | None) -> bool:
    """Whether *actor* may change or remove somebody of *role*."""
    return Permission.MEMBER_WRITE in _held(actor) and (
        role is not Role.OWNER or actor is Role.OWNER
    )


def _may_give(actor: Role | None, role: Role | None) -> bool:
    """Nobody gives a permission to write billing that they lack."""
    billing = {Permission.BILLING_WRITE}
    return _may(actor, role) and not (billing & _held(role)) - _held(actor)


async def begin(api: ControlApi, seed: int) -> Walk:
    owner = await api.sign_up()
    shown = (await api.http.get("/v1/members", headers=owner.headers)).json()["data"]
    assert (await api.sign_in(owner.email, PASSWORD)).status_code == 200
    return Walk(api, random.Random(seed), [Known(owner, shown[0]["id"], Role.OWNER)])
