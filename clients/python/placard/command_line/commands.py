"""What each command does."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx

from placard import types
from placard.command_line.output import Output
from placard.command_line.profiles import Profile, ProfileError
from placard.cursors import CursorFile
from placard.errors import NetworkError
from placard.requests import Consent, Visitor
from placard.synchronous.edge import EdgeClient
from placard.synchronous.management import ManagementClient

_CAMPAIGN = ("id", "name", "status", "delivery_status", "pricing_model", "bid_cents", "spend_cents")
_EVENT = ("ts", "kind", "valid", "reason", "campaign_id", "slot_id", "id")
_CANDIDATE = ("campaign_id", "ad_id", "state", "reason")
_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"


class UsageError(Exception):
    """The message says which argument is wrong."""


class MemoryCursor:
    """For a reader that keeps nothing."""

    def __init__(self) -> None:
        self._cursor: str | None = None

    def load(self) -> str | None:
        return self._cursor

    def save(self, cursor: str) -> None:
        self._cursor = cursor


class Commands:
    """Each takes the parsed arguments and prints its result."""

    def __init__(self, profile: Profile, output: Output) -> None:
        self._profile = profile
        self._output = output

    def serve(self, given: Namespace) -> None:
        consent = Consent(
            gdpr=_flag(given.gdpr),
            gdpr_consent=given.gdpr_consent,
            gpp=given.gpp,
            gpp_sid=given.gpp_sid,
            us_privacy=given.us_privacy,
            coppa=_flag(given.coppa),
            lgpd=given.lgpd,
            npa=_flag(given.npa),
        )
        visitor = Visitor(given.ip, given.ua, given.uid, given.lang, consent=consent)
        with self._edge() as edge:
            decision = edge.serve(
                given.slot,
                visitor,
                format=given.format,
                keywords=given.keyword,
                key_values=_key_values(given.kv),
                debug=given.debug,
                test_scenario=given.scenario,
            )
        found: dict[str, Any] = {"status": "no_fill", "reason": decision.no_fill_reason}
        self._output.item(
            {**found, "decision_id": decision.decision_id}
            if decision.ad is None
            else {"status": "filled", **decision.ad}
        )

    def track(self, given: Namespace) -> None:
        with self._edge() as edge:
            edge.track(
                given.token,
                given.event,
                Visitor(given.ip, given.ua),
                value_cents=given.value_cents,
                currency=given.currency,
                order_id=given.order_id,
            )
        self._output.item({"status": "counted", "event": given.event})

    def events(self, given: Namespace) -> None:
        filters: dict[str, Any] = {"kind": given.kind, "valid": _truth(given.valid)}
        with self._management() as placard:
            if not given.follow:
                page = placard.events.list_page(limit=given.limit, **filters)
                self._output.rows(page["data"], _EVENT)
                return
            cursors = CursorFile(given.cursor_file) if given.cursor_file else MemoryCursor()
            for event in placard.events.follow(cursors, start="now", **filters):
                self._output.line(event, _EVENT)

    def campaigns(self, given: Namespace) -> None:
        with self._management() as placard:
            if given.action == "list":
                found = placard.campaigns.list(status=given.status, limit=min(given.limit, 100))
                self._output.rows(islice(found, given.limit), _CAMPAIGN)
                return
            if given.action == "create":
                body = cast("types.CampaignCreate", _read_json(given.file))
                made = placard.campaigns.create(body, idempotency_key=given.idempotency_key)
            else:
                verbs: dict[str, Callable[[str], types.Campaign]] = {
                    "get": placard.campaigns.get,
                    "activate": placard.campaigns.activate,
                    "pause": placard.campaigns.pause,
                    "resume": placard.campaigns.resume,
                    "archive": placard.campaigns.archive,
                }
                made = verbs[given.action](given.id)
        self._output.item(made)

    def report(self, given: Namespace) -> None:
        metrics = cast("list[types.ReportMetric]", given.metrics.split(","))
        groups = cast(
            "list[types.ReportDimension]", [one for one in given.group_by.split(",") if one]
        )
        with self._management() as placard:
            report = placard.reports.delivery(
                from_=given.since,
                to=given.until,
                granularity=given.granularity,
                group_by=groups or None,
                metrics=metrics,
            )
        rows: list[dict[str, Any]] = [{**row} for row in report["data"]]
        shown = [*(["period"] if given.granularity not in (None, "total") else []), *groups]
        names = [name for name in (rows[0] if rows else {}) if name not in metrics]
        keys = [name for name in names if name in shown or name.removesuffix("_id") in groups]
        self._output.rows(rows, [*(keys or names), *metrics])

    def explain(self, given: Namespace) -> None:
        with self._management() as placard:
            found = placard.decisions.explain({"decision_id": given.decision})
        self._output.item(found)

    def trigger(self, given: Namespace) -> None:
        """Makes the event of a test ad as a visitor would: a click follows its link, a conversion a click."""
        if "_test_" not in self._profile.edge_key:
            raise ProfileError(
                "`placard test` takes a test key of the edge. Run `placard login` with one."
            )
        visitor = Visitor(given.ip, given.ua or _BROWSER)
        with self._edge() as edge:
            ad = edge.serve(given.slot, visitor).ad
            if ad is None:
                raise UsageError(
                    f"There is no ad for the slot {given.slot}. Choose another by --slot."
                )
            result: dict[str, Any] = {"event": given.event, "decision_id": ad["decision_id"]}
            if given.event == "impression":
                edge.track(ad["track_token"], "impression", visitor)
            else:
                click_id = _follow(ad["click_url"], visitor)
                if given.event == "conversion":
                    order: types.ConversionBody = {
                        "click_id": click_id,
                        "event_name": "purchase",
                        "value_cents": 4990,
                        "order_id": f"trigger-{uuid4()}",
                    }
                    result |= {**edge.report_conversion(order)}
                result["click_id"] = click_id
        self._output.item(result)

    def _edge(self) -> EdgeClient:
        self._profile.require("edge_url", "edge_key")
        return EdgeClient(self._profile.edge_key, edge_url=self._profile.edge_url)

    def _management(self) -> ManagementClient:
        self._profile.require("base_url", "management_key")
        return ManagementClient(self._profile.management_key, base_url=self._profile.base_url)


def _follow(click_url: str, visitor: Visitor) -> str:
    try:
        answer = httpx.get(click_url, headers={"User-Agent": visitor.ua or _BROWSER}, timeout=10)
    except httpx.TransportError as error:
        raise NetworkError(f"No response from {click_url}: {error}") from error
    location = str(answer.headers.get("location", ""))
    texts = parse_qs(urlsplit(location).query).get("sa_click_id")
    if not texts:
        raise UsageError(f"The click was answered with {answer.status_code}, without a click id.")
    return texts[0]


def _flag(text: str | None) -> bool | None:
    return None if text is None else text == "1"


def _truth(text: Literal["true", "false"] | None) -> bool | None:
    return None if text is None else text == "true"


def _key_values(pairs: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            raise UsageError(f"--kv takes NAME=VALUE. Got {pair}.")
        found.setdefault(name, []).append(value)
    return found


def _read_json(path: str) -> object:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON: {error}") from error
