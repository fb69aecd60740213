"""The server of a podcast app: requests the ads of listening sessions."""

import orjson
from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo


class Listener(PacedUser):
    """Two sessions a second."""

    host = demo()["edge_live_url"]
    rate_s = 2.0

    def on_start(self) -> None:
        super().on_start()
        self.headers = {
            "Authorization": f"Bearer {demo()['keys']['sk_live']['key']}",
            "Content-Type": "application/json",
        }
        self.body = orjson.dumps(
            {
                "slot": demo()["slots"]["audio"]["key"],
                "content": {"url": "https://podcast.example/episode.mp3", "kind": "progressive"},
                "breaks": [{"id": "pre", "type": "pre"}],
                "output": "plan",
            }
        ).decode()

    @task
    def begin_a_session(self) -> None:
        with self.client.post(
            "/v1/audio/stitch",
            data=self.body,
            headers=self.headers,
            name="/v1/audio/stitch",
            catch_response=True,
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"stitch answered {answer.status_code}: {answer.text[:200]}")
