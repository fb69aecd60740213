"""An authenticator app, in a test's hand."""

from dataclasses import dataclass, field

import httpx
import pyotp

from common.values.clock import Clock
from tests.support.control_api import PASSWORD, ControlApi, Person, bearer


@dataclass(slots=True)
class App:
    """Shows the code of this step, or of the next one where that was shown: the service takes a step once."""

    secret: str
    clock: Clock
    shown: int = 0

    def code(self) -> str:
        now_step = self.clock.now_ms() // 30_000
        self.shown = max(self.shown + 1, now_step)  # of now: a slow machine may need the leeway
        assert self.shown <= now_step + 1, "more codes than steps of leeway: move the clock"
        return pyotp.TOTP(self.secret).generate_otp(self.shown)


@dataclass(slots=True)
class Enrolled:
    person: Person
    app: App
    recovery_codes: list[str] = field(default_factory=list)


async def enrol(api: ControlApi, person: Person) -> Enrolled:
    made = await post(api, person, "/v1/auth/totp", {"password": PASSWORD})
    assert made.status_code == 201, made.text
    app = App(made.json()["secret"], api.control.clock)
    confirmed = await post(api, person, "/v1/auth/totp/confirm", {"code": app.code()})
    assert confirmed.status_code == 200, confirmed.text
    return Enrolled(person, app, confirmed.json()["recovery_codes"])


async def post(
    api: ControlApi, person: Person, path: str, body: dict[str, str] | None = None
) -> httpx.Response:
    return await api.http.post(path, json=body, headers=bearer(person.access_token))


async def sign_in_with(
    api: ControlApi, email: str, otp: str | None, password: str = PASSWORD
) -> httpx.Response:
    grant = {"grant_type": "password", "email": email, "password": password}
    return await api.http.post("/v1/auth/token", json=grant | ({"otp": otp} if otp else {}))
