"""
A session against its model, over the real API: whatever is done in whatever order, a token opens doors exactly as long
as the model says.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from control.api.last_used import SessionUse
from control.api.session_limits import limits_of
from control.identity.sessions.queries import end_access
from control.identity.users.jobs import sweep_people, sweep_sessions
from tests.support.control_api import ControlApi, DatabaseTemplate, Person, bearer, running_control
from tests.support.moved_clock import MovedClock

Result = TypeVar("Result")
_HOURS = st.sampled_from([1, 2, 24, 24 * 7, 24 * 14, 24 * 60])


@dataclass(slots=True, eq=False)
class Session:
    """What the model knows of one sign-in."""

    made_at: datetime
    used_at: datetime
    refresh: str
    used_refreshes: list[str] = field(default_factory=list)
    accesses: list["Access"] = field(default_factory=list)
    is_revoked: bool = False


@dataclass(slots=True, eq=False)
class Access:
    of: Session
    token: str
    expires_at: datetime
    is_ended: bool = False


class SessionModel(RuleBasedStateMachine):
    """Runs in a thread of its own; calls go to the loop the API runs on."""

    api: ClassVar[ControlApi]
    clock: ClassVar[MovedClock]
    loop: ClassVar[asyncio.AbstractEventLoop]
    sessions = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.person: Person = self.wait(self.api.sign_up())
        first = Session(self.now, self.now, self.person.refresh_token)
        limits = limits_of(self.api.control.settings)
        ends_at = limits.access_ends_at(self.now, self.now)
        first.accesses.append(Access(first, self.person.access_token, ends_at))
        self.all: list[Session] = [first]

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def is_live(self, session: Session) -> bool:
        limits = limits_of(self.api.control.settings)
        ends_at = limits.ends_at(session.made_at, session.used_at)
        return not session.is_revoked and self.now < ends_at

    def opens(self, access: Access) -> bool:
        return self.is_live(access.of) and not access.is_ended and self.now < access.expires_at

    @rule(target=sessions)
    def sign_in(self) -> Session:
        answer = self.wait(self.api.sign_in(self.person.email))
        session = Session(self.now, self.now, answer.json()["refresh_token"])
        self._add_access(session, answer)
        self.all.append(session)
        return session

    @rule(session=sessions)
    def refresh(self, session: Session) -> None:
        was_live = self.is_live(session)
        answer = self._renew(session.refresh)
        assert answer.is_success == was_live
        if was_live:
            session.used_refreshes.append(session.refresh)
            session.refresh = answer.json()["refresh_token"]
            session.used_at = self.now
            self._add_access(session, answer)

    @rule(session=sessions, data=st.data())
    def reuse(self, session: Session, data: st.DataObject) -> None:
        """Of a refresh token that is swept nobody knows any more that it was used."""
        if not session.used_refreshes:
            return
        assert self._renew(data.draw(st.sampled_from(session.used_refreshes))).status_code == 400
        session.is_revoked = True

    @rule(session=sessions, data=st.data())
    def sign_out(self, session: Session, data: st.DataObject) -> None:
        access = data.draw(st.sampled_from(session.accesses))
        could = self.opens(access)
        answer = self._post("/v1/auth/sign-out", access)
        assert answer.status_code == (204 if could else 401)
        session.is_revoked = session.is_revoked or could

    @rule(session=sessions, other=sessions, data=st.data())
    def revoke(self, session: Session, other: Session, data: st.DataObject) -> None:
        access = data.draw(st.sampled_from(session.accesses))
        if not self.opens(access):
            return
        listed = self._get("/v1/sessions?limit=100", access).json()["data"]
        live = [one for one in self.all if self.is_live(one)]
        assert len(listed) == len(live)
        if other in live:
            newest_first = live[::-1]
            session_id = listed[newest_first.index(other)]["id"]
            answer = self._post(f"/v1/sessions/{session_id}/revoke", access)
            assert answer.status_code == 200
            other.is_revoked = True

    @rule(session=sessions, data=st.data())
    def revoke_others(self, session: Session, data: st.DataObject) -> None:
        access = data.draw(st.sampled_from(session.accesses))
        if not self.opens(access):
            return
        others = [one for one in self.all if one is not session and not one.is_revoked]
        answer = self._post("/v1/sessions/revoke-others", access)
        assert answer.json()["revoked"] >= sum(self.is_live(one) for one in others)
        for one in others:
            one.is_revoked = True

    @rule()
    def change_role(self) -> None:
        self.wait(self._end_access())
        for session in self.all:
            for access in session.accesses:
                access.is_ended = True

    @rule(hours=_HOURS)
    def time_passes(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @rule()
    def sweep(self) -> None:
        self.wait(sweep_sessions(self.api.control))
        self.wait(sweep_people(self.api.control))
        for session in self.all:
            session.used_refreshes = session.used_refreshes if self.is_live(session) else []

    @rule(session=consumes(sessions))
    def forget(self, session: Session) -> None:
        """The client throws its tokens away; the session goes on."""

    @invariant()
    def tokens_open_what_the_model_says(self) -> None:
        for session in self.all[-3:]:
            for access in session.accesses[-2:]:
                opened = self._get("/v1/me", access).status_code == 200
                assert opened == self.opens(access)
                if opened:
                    self.wait(self._flush())
                    session.used_at = self.now

    def _add_access(self, session: Session, answer: httpx.Response) -> None:
        limits = limits_of(self.api.control.settings)
        ends_at = limits.access_ends_at(session.made_at, self.now)
        session.accesses.append(Access(session, answer.json()["access_token"], ends_at))

    def _renew(self, token: str) -> httpx.Response:
        grant = {"grant_type": "refresh_token", "refresh_token": token}
        return self.wait(self.api.http.post("/v1/auth/token", json=grant))

    def _post(self, path: str, access: Access) -> httpx.Response:
        answer = self.wait(self.api.http.post(path, headers=bearer(access.token)))
        self._note(access, answer)
        return answer

    def _get(self, path: str, access: Access) -> httpx.Response:
        return self.wait(self.api.http.get(path, headers=bearer(access.token)))

    def _note(self, access: Access, answer: httpx.Response) -> None:
        if answer.is_success:
            self.wait(self._flush())
            access.of.used_at = self.now

    async def _flush(self) -> None:
        await self.api.control.get(SessionUse).flush(self.api.control.database, self.now)

    async def _end_access(self) -> None:
        async with self.api.control.database.service() as session:
            await end_access(session, self.person.account_id, self.person.user_id, self.now)


@pytest_asyncio.fixture
async def modelled(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    folder = servers_folder / uuid4().hex[:8]
    folder.mkdir()
    async with running_control(migrated.new_database(), folder) as running:
        running.control.clock = SessionModel.clock = MovedClock(stands=True)
        SessionModel.api, SessionModel.loop = running, asyncio.get_running_loop()
        yield running


async def _run(examples: int, steps: int) -> None:
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(run_state_machine_as_test, SessionModel, settings=chosen)


@pytest.mark.usefixtures("modelled")
async def test_tokens_are_valid_as_long_as_in_the_model() -> None:
    await _run(examples=6, steps=15)


@pytest.mark.long
@pytest.mark.usefixtures("modelled")
async def test_tokens_are_valid_as_long_as_in_the_model_for_two_thousand_steps() -> None:
    await _run(examples=40, steps=50)
