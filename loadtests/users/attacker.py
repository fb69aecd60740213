"""
An attacker: forged tokens, unknown keys, broken bodies and long queries. A correct refusal is a success here, and an
answer of 2xx or 5xx a failure.
"""

import random
import secrets

from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo

_REFUSALS = range(400, 500)


class Attacker(PacedUser):
    """Ten calls a second."""

    host = demo()["edge_live_url"]
    rate_s = 10.0

    def on_start(self) -> None:
        super().on_start()
        self.rng = random.Random()
        self.key = demo()["keys"]["pk_live"]["key"]
        self.slot = demo()["slots"]["banner"]["key"]

    @task(3)
    def forge_a_token(self) -> None:
        token = secrets.token_urlsafe(self.rng.randint(10, 200))
        body = f'{{"token": "{token}", "event": "impression"}}'
        self._refused("POST", f"/v1/track?key={self.key}", body, "attack: token")

    @task(2)
    def guess_a_key(self) -> None:
        key = f"pk_live_{secrets.token_hex(16)}"
        self._refused("GET", f"/v1/serve?slot={self.slot}&key={key}", None, "attack: key")

    @task(1)
    def break_a_body(self) -> None:
        body = "{" * self.rng.randint(1, 5000)
        self._refused("POST", f"/v1/track?key={self.key}", body, "attack: body")

    @task(1)
    def send_a_long_query(self) -> None:
        words = "&".join(f"kv.k{number}={secrets.token_hex(40)}" for number in range(60))
        path = f"/v1/serve?slot={self.slot}&key={self.key}&{words}"
        self._refused("GET", path, None, "attack: query")

    def _refused(self, method: str, path: str, body: str | None, name: str) -> None:
        with self.client.request(
            method,
            path,
            data=body,
            headers={"Content-Type": "application/json"},
            name=name,
            catch_response=True,
        ) as answer:
            if answer.status_code in _REFUSALS:
                answer.success()
            else:
                answer.failure(f"{name} was answered {answer.status_code}")
