"""
Runs the library as a program of its user would, for the tests of this repository: one JSON command a line on standard
input, one JSON answer a line on standard output.
"""

import json
import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

from placard import (
    ApiError,
    ConflictError,
    Consent,
    CursorFile,
    EdgeClient,
    InvalidRequestError,
    ManagementClient,
    PlacardError,
    Visitor,
)
from placard.retries import Retries


class Driver:
    """The clients of one ``open``, and the pauses they made since the last command."""

    def __init__(self) -> None:
        self.pauses_ms: list[int] = []
        self.now_s = 0.0
        self.during_pause: Callable[[], None] | None = None
        self.edge: EdgeClient
        self.management: ManagementClient

    def open(self, command: dict[str, Any]) -> dict[str, Any]:
        """``virtual``: pauses are noted, not slept, and chance is ``random``; ``timeout_ms`` is real time."""
        own: dict[str, Any] = {}
        if command.get("virtual"):
            own = {"sleep": self._sleep, "clock": lambda: self.now_s}
            own["timeout_s"] = command["timeout_ms"] / 1000
            own["retries"] = Retries(draw=lambda: float(command.get("random", 0.5)))
        if "edge_url" in command:
            self.edge = EdgeClient(command["edge_key"], edge_url=command["edge_url"], **own)
        if "base_url" in command:
            key = command["management_key"]
            self.management = ManagementClient(key, base_url=command["base_url"], **own)
        return {"status": "ok"}

    def serve(self, command: dict[str, Any]) -> dict[str, Any]:
        request = dict(command["request"])
        person = {
            name: request.pop(name) for name in ("ip", "ua", "uid", "lang") if name in request
        }
        visitor = Visitor(**person, consent=Consent(**command.get("consent", {})))
        decision = self.edge.serve(request.pop("slot"), visitor, **request)
        if decision.ad is None:
            return {
                "status": "no_fill",
                "reason": decision.no_fill_reason,
                "decision_id": decision.decision_id,
            }
        return {"status": "filled", "ad": decision.ad}

    def together(self, command: dict[str, Any]) -> dict[str, Any]:
        """Two calls of ``serve``: the second begins in the first pause of the first, at its ``at_ms``."""
        first, second = command["calls"]
        start_s = self.now_s
        outcomes: dict[int, Any] = {0: None, 1: None}

        def run(number: int, call: dict[str, Any]) -> None:
            outcome = answer(self.serve, call)
            outcomes[number] = outcome | {"ended_ms": round((self.now_s - start_s) * 1000)}

        def begin() -> None:
            self.now_s += second["at_ms"] / 1000
            run(1, second)

        self.during_pause = begin
        run(0, first)
        return {"status": "ok", "outcomes": [outcomes[0], outcomes[1]]}

    def serve_slots(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", "answers": self.edge.serve_slots(command["slots"], Visitor())}

    def track(self, command: dict[str, Any]) -> dict[str, Any]:
        visitor = Visitor(ip=command.get("ip"), ua=command.get("ua"))
        conversion = command.get("conversion", {})
        self.edge.track(command["token"], command["event"], visitor, **conversion)
        return {"status": "counted"}

    def track_batch(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", "results": self.edge.track_batch(command["events"])}

    def convert(self, command: dict[str, Any]) -> dict[str, Any]:
        key = command.get("idempotency_key")
        return {"status": "ok", **self.edge.report_conversion(command["body"], idempotency_key=key)}

    def verify(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", **self.edge.verify_click({"click_id": command["click_id"]})}

    def email(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", **self.edge.prepare_email(command["email"])}

    def stitch(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", **self.edge.stitch_audio(command["stitch"])}

    def rotate(self, command: dict[str, Any]) -> dict[str, Any]:
        return {"status": "ok", "key": self.management.sdk_keys.rotate(command["key_id"])["key"]}

    def pause(self, command: dict[str, Any]) -> dict[str, Any]:
        return {
            "status": "ok",
            "campaign": self.management.campaigns.pause(command["campaign_id"]),
        }

    def events(self, command: dict[str, Any]) -> dict[str, Any]:
        """The ids of the next ``count`` events, and one more so that their page is handled."""
        follow = self.management.events.follow(
            CursorFile(command["cursor_file"]), limit=1, poll_s=0.05, kind="impression"
        )
        ids = [event["id"] for event in islice(follow, command["count"] + 1)]
        return {"status": "ok", "ids": ids[: command["count"]]}

    def manage(self, command: dict[str, Any]) -> dict[str, Any]:
        placard = self.management
        body: Any = {
            "name": command["title"],
            "objective": "awareness",
            "pricing_model": "cpm",
            "bid_cents": 250,
        }
        key = command["title"]
        made = placard.campaigns.create(body, idempotency_key=key)
        again = placard.campaigns.create(body, idempotency_key=key)
        ad = placard.ads.create(
            {
                "campaign_id": made["id"],
                "name": "Banner",
                "format": "banner",
                "click_url": "https://advertiser.example/",
                "content": {
                    "image_url": "https://advertiser.example/b.png",
                    "width": 300,
                    "height": 250,
                    "alt": "Ad",
                },
            }
        )
        placard.ads.activate(ad["id"])
        active = placard.campaigns.activate(made["id"])
        renamed = placard.campaigns.update(
            made["id"], {"name": "Renamed", "end_at": None}, version=active["version"]
        )
        conflict = ""
        try:
            placard.campaigns.update(made["id"], {"name": "Late"}, version=active["version"])
        except ConflictError as error:
            conflict = error.code
        invalid: dict[str, Any] = {}
        try:
            placard.campaigns.create({**body, "bid_cents": 0})
        except InvalidRequestError as error:
            invalid = {"code": error.code, "status": error.status}
            invalid |= {"param": error.details[0]["param"], "request_id": bool(error.request_id)}
        ids = {one["id"] for one in islice(placard.campaigns.list(limit=1), 3)}
        report = placard.reports.delivery(from_="2026-01-01", metrics=["impressions", "clicks"])
        paused = placard.campaigns.pause(made["id"])
        return {
            "status": "ok",
            "replayed": made["id"] == again["id"],
            "name": renamed["name"],
            "conflict": conflict,
            "invalid": invalid,
            "listed": len(ids),
            "reported": report["totals"].get("impressions") is not None,
            "state": paused["status"],
        }

    def _sleep(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        self.pauses_ms.append(round(seconds * 1000))
        begin, self.during_pause = self.during_pause, None
        if begin is not None:
            begin()
        self.now_s = max(self.now_s, until_s)


def answer(run: Callable[[dict[str, Any]], dict[str, Any]], command: dict[str, Any]) -> Any:
    try:
        return run(command)
    except PlacardError as error:
        own: dict[str, Any] = {"status": error.status} if isinstance(error, ApiError) else {}
        if isinstance(error, ApiError) and error.details:
            own["param"] = error.details[0]["param"]
        kind = type(error).__name__
        return {
            "status": "error",
            "error": {"code": error.code, "kind": kind, "message": str(error), **own},
        }


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        command = json.loads(line)
        driver.pauses_ms = []
        found = answer(getattr(driver, command["do"]), command)
        print(json.dumps({**found, "pauses_ms": driver.pauses_ms}), flush=True)


if __name__ == "__main__":
    main()
