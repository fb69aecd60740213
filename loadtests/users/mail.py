"""A publisher's mail server: prepares the ads of a mailing, whose recipients open some of the mails."""

import random
from uuid import uuid4

import orjson
from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo

_RECIPIENTS = 20
_OPENS = 3
_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Thunderbird/140.0"


class MailServer(PacedUser):
    """A part of a mailing each two seconds."""

    host = demo()["edge_live_url"]
    rate_s = 0.5

    def on_start(self) -> None:
        super().on_start()
        self.rng = random.Random()
        self.headers = {
            "Authorization": f"Bearer {demo()['keys']['sk_live']['key']}",
            "Content-Type": "application/json",
        }

    @task
    def send_a_mailing(self) -> None:
        body = {
            "slot": demo()["slots"]["email"]["key"],
            "send_id": uuid4().hex,
            "recipients": [{"ref": f"r{number}"} for number in range(_RECIPIENTS)],
        }
        with self.client.post(
            "/v1/email/prepare",
            data=orjson.dumps(body).decode(),
            headers=self.headers,
            name="/v1/email/prepare",
            catch_response=True,
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"prepare answered {answer.status_code}: {answer.text[:200]}")
                return
            items = orjson.loads(answer.content)["items"]
        urls = [one["impression_url"] for one in items if one.get("impression_url")]
        for url in self.rng.sample(urls, min(_OPENS, len(urls))):
            self.client.get(url, headers={"User-Agent": _AGENT}, name="pixel of a mail")
