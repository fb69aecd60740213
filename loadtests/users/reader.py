"""
A reader: opens a page with a few slots, sees most ads, clicks one in a hundred.

It imitates the web library: key in the query, impression by `POST /v1/track` as text, click by following the redirect.
"""

import random

import orjson
from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.seen import note_acknowledged
from loadtests.users.stack import demo, is_server

_AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1",
)
_SEES = 0.8
_CLICKS = 0.01


class Reader(PacedUser):
    """
    Views five slots a second. The edge's limits are per address, so few users stand for many readers; with
    ``LOAD_KEY=secret`` the calls are a server's, which has no limit per address.
    """

    host = demo()["edge_live_url"]
    rate_s = 5.0

    def on_start(self) -> None:
        super().on_start()
        self.rng = random.Random()
        self.headers = {"User-Agent": self.rng.choice(_AGENTS)}
        self.query = f"&key={demo()['keys']['pk_live']['key']}"
        if is_server():
            self.query = ""
            self.headers["Authorization"] = f"Bearer {demo()['keys']['sk_live']['key']}"
        self.slots = [slot["key"] for slot in demo()["slots"].values()]

    @task
    def view_a_slot(self) -> None:
        slot = self.rng.choice(self.slots)
        with self.client.get(
            f"/v1/serve?slot={slot}{self.query}",
            headers=self.headers,
            name="/v1/serve",
            catch_response=True,
        ) as answer:
            if answer.status_code == 204:
                answer.success()
                return
            if answer.status_code != 200:
                answer.failure(f"serve answered {answer.status_code}")
                return
            ad = orjson.loads(answer.content)
        if self.rng.random() < _SEES:
            self._track(ad["track_token"])
        if self.rng.random() < _CLICKS:
            self._click(ad["click_url"])

    def _track(self, token: str) -> None:
        body = orjson.dumps({"token": token, "event": "impression"}).decode()
        kind = "application/json" if is_server() else "text/plain"
        headers = {**self.headers, "Content-Type": kind}
        with self.client.post(
            f"/v1/track?{self.query.removeprefix('&')}",
            data=body,
            headers=headers,
            name="/v1/track",
            catch_response=True,
        ) as answer:
            if answer.status_code != 204:
                answer.failure(f"track answered {answer.status_code}")
                return
        note_acknowledged(token)

    def _click(self, url: str) -> None:
        with self.client.get(
            url, headers=self.headers, name="/v1/click", allow_redirects=False, catch_response=True
        ) as answer:
            if answer.status_code == 302:
                answer.success()
            else:
                answer.failure(f"click answered {answer.status_code}")
