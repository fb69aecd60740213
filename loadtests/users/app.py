"""A reader in an app: requests three slots in one call, and reports the impression of each."""

import orjson
from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.seen import note_acknowledged
from loadtests.users.stack import demo

_AGENT = "PlacardDemo/1.0 (Android 15; Pixel 9)"


class AppReader(PacedUser):
    """Opens two screens a second."""

    host = demo()["edge_live_url"]
    rate_s = 2.0

    def on_start(self) -> None:
        super().on_start()
        names = [slot["key"] for slot in demo()["slots"].values()][:3]
        slots = "&".join(f"slot={name}" for name in names)
        self.key = demo()["keys"]["pk_live"]["key"]
        self.path = f"/v1/serve?{slots}&key={self.key}&client=android/1.0"
        self.headers = {"User-Agent": _AGENT, "Content-Type": "application/json"}

    @task
    def open_a_screen(self) -> None:
        with self.client.get(
            self.path, headers=self.headers, name="/v1/serve of three slots", catch_response=True
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"serve answered {answer.status_code}")
                return
            found = orjson.loads(answer.content)["data"]
        tokens = [one["track_token"] for one in found if "track_token" in one]
        for token in tokens:
            self._track(token)

    def _track(self, token: str) -> None:
        body = orjson.dumps({"token": token, "event": "impression"}).decode()
        with self.client.post(
            f"/v1/track?key={self.key}",
            data=body,
            headers=self.headers,
            name="/v1/track of an app",
            catch_response=True,
        ) as answer:
            if answer.status_code != 204:
                answer.failure(f"track answered {answer.status_code}")
                return
        note_acknowledged(token)
