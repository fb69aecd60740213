"""
An integrator: creates a campaign with an ad, starts and changes it, and polls events.

It works in the test environment, as an integrator who tries things out would.
"""

import random
from typing import Any

import orjson
from locust import task

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo


class Integrator(PacedUser):
    """One call a second: an integration key may make ten."""

    host = demo()["control_url"]
    rate_s = 1.0

    def on_start(self) -> None:
        super().on_start()
        self.rng = random.Random()
        self.headers = {
            "Authorization": f"Bearer {demo()['keys']['ak_test']['key']}",
            "Content-Type": "application/json",
        }
        self.cursor = "earliest"

    @task(1)
    def run_a_campaign(self) -> None:
        campaign = self._call(
            "POST",
            "/v1/campaigns",
            {
                "name": f"Load {self.rng.randrange(10**9)}",
                "objective": "awareness",
                "pricing_model": "cpm",
                "bid_cents": self.rng.randint(100, 900),
            },
        )
        if campaign is None:
            return
        self._call(
            "POST",
            "/v1/ads",
            {
                "campaign_id": campaign["id"],
                "name": "Banner",
                "format": "banner",
                "click_url": "https://advertiser.example/landing",
                "content": {
                    "image_url": "https://advertiser.example/b.png",
                    "width": 300,
                    "height": 250,
                    "alt": "An advertisement",
                },
            },
        )
        self._call(
            "POST", f"/v1/campaigns/{campaign['id']}/activate", None, "/v1/campaigns/{id}/activate"
        )
        self._call(
            "POST", f"/v1/campaigns/{campaign['id']}/archive", None, "/v1/campaigns/{id}/archive"
        )

    @task(4)
    def poll_events(self) -> None:
        page = self._call(
            "GET", f"/v1/integration/events?cursor={self.cursor}", None, "/v1/integration/events"
        )
        if page is not None:
            self.cursor = page["next_cursor"] or self.cursor

    @task(2)
    def list_campaigns(self) -> None:
        self._call("GET", "/v1/campaigns?limit=50", None, "/v1/campaigns")

    @task(1)
    def get_status(self) -> None:
        self._call("GET", "/v1/integration/status", None)

    def _call(
        self, method: str, path: str, body: Any, name: str | None = None
    ) -> dict[str, Any] | None:
        data = None if body is None else orjson.dumps(body).decode()
        with self.client.request(
            method,
            path,
            data=data,
            headers=self.headers,
            name=f"{method} {name or path}",
            catch_response=True,
        ) as answer:
            if answer.status_code == 429:
                answer.success()  # rate limited: the limit works, and the next task comes a second later
                return None
            if answer.status_code >= 300:
                answer.failure(
                    f"{method} {path} answered {answer.status_code}: {answer.text[:200]}"
                )
                return None
            found: dict[str, Any] = orjson.loads(answer.content)
            return found
