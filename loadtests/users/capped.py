"""
A reader with a consented uid, and a campaign with a frequency cap: each call needs the reader's counts. ``debug=1``
shows whether they were available in time, and the summary gives the share of calls in which they were not.
"""

import json
import random
from functools import cache
from typing import Any
from urllib.request import Request, urlopen

import orjson
from locust import events, task
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests.users.paced import PacedUser
from loadtests.users.stack import demo

_PEOPLE = 2_000
_MAX_UNKNOWN = 0.001
_CALL_S = 30
_counts = {"lookups": 0, "unknown": 0}


def _call(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Calls the management API, in test."""
    request = Request(  # noqa: S310 - the stack's own address
        f"{demo()['control_url']}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {demo()['keys']['ak_test']['key']}",
            "Content-Type": "application/json",
        },
    )
    with urlopen(request, timeout=_CALL_S) as answer:  # noqa: S310 - as above
        found: dict[str, Any] = orjson.loads(answer.read())
    return found


@cache
def _campaign_id() -> str:
    """Creates an active campaign with a cap that wins the demo's banner slot."""
    day = {"interval": 1, "unit": "day"}
    campaign = _call(
        "POST",
        "/v1/campaigns",
        {
            "name": f"Capped {random.randrange(10**9)}",
            "objective": "awareness",
            "pricing_model": "cpm",
            "bid_cents": 100_000,
            "frequency_caps": [
                {"scope": "campaign", "event": "impression", "limit": 1000, "window": day}
            ],
        },
    )
    ad = _call(
        "POST",
        "/v1/ads",
        {
            "campaign_id": campaign["id"],
            "name": "Capped banner",
            "format": "banner",
            "click_url": "https://advertiser.example/landing",
            "slot_ids": [demo()["slots"]["banner"]["id"]],
            "content": {
                "image_url": "https://advertiser.example/b.png",
                "width": 300,
                "height": 250,
                "alt": "An advertisement",
            },
        },
    )
    _call("POST", f"/v1/ads/{ad['id']}/activate")
    _call("POST", f"/v1/campaigns/{campaign['id']}/activate")
    return str(campaign["id"])


class CappedReader(PacedUser):
    """Five calls a second, as one of many readers."""

    host = demo()["edge_test_url"]
    rate_s = 5.0

    def on_start(self) -> None:
        super().on_start()
        self.rng = random.Random()
        self.campaign_id = _campaign_id()
        self.path = (
            f"/v1/serve?slot={demo()['slots']['banner']['key']}&gdpr=0&debug=1"
            f"&key={demo()['keys']['pk_test']['key']}"
        )

    @task
    def view_a_slot(self) -> None:
        uid = f"reader-{self.rng.randrange(_PEOPLE)}"
        with self.client.get(
            f"{self.path}&uid={uid}", name="/v1/serve capped", catch_response=True
        ) as answer:
            if answer.status_code != 200:
                answer.failure(f"serve answered {answer.status_code}")
                return
            lines = orjson.loads(answer.content)["explain"]
        ours = [line for line in lines if line["campaign_id"] == self.campaign_id]
        if ours:
            _counts["lookups"] += 1
            _counts["unknown"] += any(line["dropped_by"] == "cap_not_known" for line in ours)


@events.report_to_master.add_listener  # type: ignore[untyped-decorator]  # locust has no types for it
def _send(data: dict[str, Any], **_: Any) -> None:
    data["caps"] = dict(_counts)
    _counts.update(dict.fromkeys(_counts, 0))


@events.worker_report.add_listener  # type: ignore[untyped-decorator]  # as above
def _receive(data: dict[str, Any], **_: Any) -> None:
    for name, count in data["caps"].items():
        _counts[name] += count


@events.quitting.add_listener  # type: ignore[untyped-decorator]  # as above
def _sum_up(environment: Environment, **_: Any) -> None:
    """
    Archives the campaign of this process. A single failed lookup does not fail the run: a share needs more. A worker
    has sent its counts to the master.
    """
    if _campaign_id.cache_info().currsize:
        _call("POST", f"/v1/campaigns/{_campaign_id()}/archive")
    if isinstance(environment.runner, WorkerRunner) or not _counts["lookups"]:
        return
    share = _counts["unknown"] / max(1, _counts["lookups"])
    figures = {**_counts, "unknown_share": round(share, 5), "reach": _MAX_UNKNOWN}
    print(orjson.dumps({"load": "caps", "figures": figures}).decode())
    if share > _MAX_UNKNOWN and _counts["unknown"] > 1:
        environment.process_exit_code = 1
