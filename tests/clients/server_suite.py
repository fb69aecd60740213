"""What each library for servers must do: the conformance cases, the eight journeys, and management."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from deploy.standalone.background import Background
from tests.clients.cases import answers, cases
from tests.clients.library_driver import VIRTUAL, Driver, Library, driver_of
from tests.clients.results import record
from tests.clients.scripted_edge import scripted_edge
from tests.clients.server_cases import faults_of, is_real, server_cases, why_not
from tests.clients.worlds import worlds
from tests.e2e.customer import eventually
from tests.support.http_client import http_client

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
_PERSON = {"ip": "203.0.113.7", "ua": BROWSER}
_ANY_KEY = "pk_test_0123456789abcdefghijABCDEFGHIJ000000"


class ServerLibrarySuite:
    library: ClassVar[Library]

    @pytest.fixture
    async def driver(self) -> AsyncIterator[Driver]:
        async with driver_of(self.library) as made:
            yield made

    @pytest.fixture
    async def opened(self, driver: Driver, streams_stack: Background) -> Driver:
        """With a secret key and an integration key of the demo."""
        demo = streams_stack.demo
        await driver.do(
            "open",
            edge_url=demo["edge_test_url"],
            edge_key=demo["keys"]["sk_test"]["key"],
            base_url=demo["control_url"],
            management_key=demo["keys"]["ak_test"]["key"],
        )
        return driver

    async def test_the_cases_of_the_contract_pass(self, driver: Driver) -> None:
        passed, failed = {}, dict[str, list[str]]()
        async with worlds() as edges, scripted_edge() as edge:
            real = await edges.edge()
            for file, case in server_cases():
                reason = why_not(case)
                if reason is not None:
                    passed[f"{file}: {case['name']}"] = reason
                    continue
                own_key = case["given"].get("secret_key", _ANY_KEY)
                upstream, key = (real.port, edges.key) if is_real(file) else (None, own_key)
                faults = await faults_of(
                    case, self.library, driver, edge, key=key, upstream=upstream
                )
                if faults:
                    failed[case["name"]] = faults
                passed[f"{file}: {case['name']}"] = "run"
        assert not failed, failed
        passed |= {f"views: {case['name']}": "a server has no view" for case in cases("views")}
        record(self.library.name, cases=passed)

    async def test_no_request_is_sent_during_a_pause_of_its_key(self, driver: Driver) -> None:
        limited = answers()["rate_limited_for_an_hour"]
        async with scripted_edge() as edge:
            edge.play({"serve": [limited]})
            await driver.do("open", edge_url=edge.url, edge_key=_ANY_KEY, **VIRTUAL)
            outcomes = [await driver.do("serve", request={"slot": "banner"}) for _ in range(2)]

            assert [one["error"]["code"] for one in outcomes] == ["rate_limited"] * 2
            assert len(edge.requests) == 1

    async def test_what_a_later_edge_adds_is_tolerated(self, driver: Driver) -> None:
        banner = answers()["banner"]
        later = {**banner["body"], "format": "hologram", "source": "barter", "depth": {"mm": [3]}}
        async with scripted_edge() as edge:
            edge.play({"serve": [{**banner, "body": later}]})
            await driver.do("open", edge_url=edge.url, edge_key=_ANY_KEY, **VIRTUAL)
            served = await driver.do("serve", request={"slot": "banner"})

        assert (served["ad"]["format"], served["ad"]["source"]) == ("hologram", "barter")

    async def test_a_redirect_is_not_followed(self, driver: Driver) -> None:
        async with scripted_edge() as edge:
            moved = {"status": 302, "headers": {"Location": f"{edge.url}/v1/elsewhere"}, "text": ""}
            edge.play({"serve": [moved], "elsewhere": [answers()["banner"]]})
            await driver.do("open", edge_url=edge.url, edge_key=_ANY_KEY, **VIRTUAL)
            served = await driver.do("serve", request={"slot": "banner"})

            assert served["error"]["code"] == "invalid_response"
            assert [one.path for one in edge.requests] == ["/v1/serve"]

    async def test_a_call_that_creates_has_one_idempotency_key_for_all_its_attempts(
        self, driver: Driver
    ) -> None:
        known = answers()
        created = {"status": 202, "body": {"conversion_id": str(uuid4())}}
        async with scripted_edge() as edge:
            edge.play({"conversions": [known["internal"], known["network"], created]})
            await driver.do("open", edge_url=edge.url, edge_key="sk_test_any", **VIRTUAL)
            for _ in range(2):
                await driver.do("convert", body={"uid": "u", "event_name": "purchase"})

            keys = [one.headers["idempotency-key"] for one in edge.requests]
            assert [keys.count(one) for one in dict.fromkeys(keys)] == [3, 1]
            assert {one.headers["authorization"] for one in edge.requests} == {"Bearer sk_test_any"}

    async def test_a_change_is_not_sent_again_that_may_have_happened(self, driver: Driver) -> None:
        known = answers()
        async with scripted_edge() as edge:
            edge.play({"pause": [known["internal"]], "rotate": [known["internal"]]})
            await driver.do("open", base_url=edge.url, management_key="at_any", **VIRTUAL)
            rotated = await driver.do("rotate", key_id=str(uuid4()))
            attempts = len(edge.requests)
            paused = await driver.do("pause", campaign_id="../x")

            assert rotated["error"]["code"] == paused["error"]["code"]
            assert attempts == 4
            assert [one.target for one in edge.requests[4:]] == ["/v1/campaigns/..%2Fx/pause"]

    async def test_fill(self, opened: Driver, streams_stack: Background, tmp_path: Path) -> None:
        """Served, seen, and in the feed; a second reader goes on where the first one stopped."""
        demo = streams_stack.demo
        for _ in range(5):
            served = await opened.do(
                "serve",
                request={"slot": "demo-always-fill", "debug": True, **_PERSON},
                consent={"gdpr": False},
            )
            token = served["ad"]["track_token"]
            counted = await opened.do("track", token=token, event="impression", **_PERSON)
        seen = await opened.do("track_batch", events=[{"token": token, "event": "viewable"}])
        file = str(tmp_path / "cursor")
        first = await opened.do("events", cursor_file=file, count=2)
        second = await opened.do("events", cursor_file=file, count=2)

        assert served["ad"]["consent"]["personal"] is True
        assert counted["status"] == "counted"
        assert [one["status"] for one in seen["results"]] == [204]
        assert len({*first["ids"], *second["ids"]}) == 4
        event = await _event_of(demo, served["ad"]["ad_id"])
        assert (event["valid"], event["surface"]) == (True, "server")
        record(self.library.name, journey="fill")

    async def test_no_fill(self, opened: Driver) -> None:
        served = await opened.do("serve", request={"slot": "demo-never-fill", "debug": True})
        several = await opened.do("serve_slots", slots=["demo-never-fill", "demo-always-fill"])

        assert (served["status"], served["reason"]) == ("no_fill", "demo_never_fills")
        assert served["decision_id"]
        assert [one["status"] for one in several["answers"]] == ["no_fill", "filled"]
        record(self.library.name, journey="no fill")

    async def test_click(self, opened: Driver) -> None:
        """The redirect is followed as it is; its click id is ours, and brings the conversion once."""
        served = await opened.do("serve", request={"slot": "demo-always-fill", **_PERSON})
        async with http_client(headers={"User-Agent": BROWSER}) as browser:
            redirected = await browser.get(served["ad"]["click_url"])
        (click_id,) = parse_qs(urlsplit(redirected.headers["location"]).query)["sa_click_id"]
        verified = [
            (await opened.do("verify", click_id=one))["valid"]
            for one in (click_id, click_id.partition(".")[0])
        ]
        body = {"click_id": click_id, "event_name": "purchase", "value_cents": 4990}
        reported = [
            await opened.do("convert", body=body, idempotency_key=click_id) for _ in range(2)
        ]

        assert redirected.status_code == 302
        assert verified == [True, False]
        assert len({one["conversion_id"] for one in reported}) == 1
        record(self.library.name, journey="click")

    async def test_consent_refused(self, opened: Driver) -> None:
        served = await opened.do(
            "serve",
            request={"slot": "demo-always-fill", "uid": "u1", "debug": True, **_PERSON},
            consent={"gdpr": True},
        )

        assert served["ad"]["consent"]["personal"] is False
        record(self.library.name, journey="consent refused")

    async def test_offline_then_online(self, driver: Driver, streams_stack: Background) -> None:
        """The same client, whose edge cannot be reached at first."""
        demo = streams_stack.demo
        edge = urlsplit(demo["edge_test_url"])
        async with scripted_edge() as relay:
            port = relay.port
        key = demo["keys"]["sk_test"]["key"]
        address = f"http://127.0.0.1:{port}"
        await driver.do("open", edge_url=address, edge_key=key, **VIRTUAL)
        offline = await driver.do("serve", request={"slot": "demo-always-fill"})
        async with scripted_edge(port) as relay:
            relay.play({}, upstream=edge.port)
            online = await driver.do("serve", request={"slot": "demo-always-fill"})

        assert offline["error"]["code"] == "network"
        assert len(offline["pauses_ms"]) == 3
        assert online["status"] == "filled"
        record(self.library.name, journey="offline, then online")

    async def test_kill_switch(self, opened: Driver) -> None:
        request = {"slot": "demo-always-fill", "test_scenario": "account_stopped"}
        served = await opened.do("serve", request=request)

        assert served["status"] == "no_fill"
        record(self.library.name, journey="kill switch")

    async def test_rotated_key(self, driver: Driver, streams_stack: Background) -> None:
        demo = streams_stack.demo
        token = await _access_token(demo)
        made = await _call(
            demo,
            "/v1/sdk-keys",
            token,
            {
                "property_id": demo["property"]["id"],
                "kind": "publishable",
                "environment": "test",
                "name": "rotated",
            },
        )
        urls = {"edge_url": demo["edge_test_url"], "base_url": demo["control_url"]}
        await driver.do("open", **urls, edge_key=made["key"], management_key=token)

        async def serve() -> dict[str, Any]:
            return await driver.do("serve", request={"slot": "demo-always-fill"})

        async def filled() -> bool | None:
            return (await serve())["status"] == "filled" or None

        async def refusal() -> Any:
            return (await serve()).get("error")

        await eventually(filled)
        rotated = await driver.do("rotate", key_id=made["id"])
        refused = await eventually(refusal)
        await driver.do("open", **urls, edge_key=rotated["key"], management_key=token)
        await eventually(filled)

        assert (refused["code"], refused["status"]) == ("key_revoked", 403)
        assert "Permission" in refused["kind"]
        record(self.library.name, journey="rotated key")

    async def test_bad_slot(self, opened: Driver) -> None:
        served = await opened.do("serve", request={"slot": "nowhere"})

        error = served["error"]
        assert (error["code"], error["status"]) == ("slot_not_found", 404)
        assert "NotFound" in error["kind"]
        record(self.library.name, journey="bad slot")

    async def test_a_mail_is_prepared_and_audio_is_stitched(
        self, opened: Driver, streams_stack: Background
    ) -> None:
        slots = streams_stack.demo["slots"]
        mail = {
            "slot": slots["email"]["key"],
            "send_id": f"{self.library.name}-{uuid4()}",
            "mode": "per_recipient",
            "recipients": [{"ref": "r1"}, {"ref": "r2"}],
        }
        sound = {
            "slot": slots["audio"]["key"],
            "content": {"id": "episode", "kind": "none"},
            "breaks": [{"id": "pre", "type": "pre", "max_duration_ms": 60_000}],
            "listener": {"ip": "203.0.113.7", "user_agent": BROWSER, "consent": {"gdpr": "0"}},
            "output": "plan",
        }
        prepared = await opened.do("email", email=mail)
        again = await opened.do("email", email=mail)
        stitched = await opened.do("stitch", stitch=sound)

        assert prepared.get("filled") == 2, prepared
        assert prepared["items"] == again["items"]
        assert [one["id"] for one in stitched.get("breaks", ())] == ["pre"], stitched

    async def test_campaigns_are_managed(self, opened: Driver) -> None:
        managed = await opened.do("manage", title=f"{self.library.name}-{uuid4()}")

        assert managed["status"] == "ok", managed
        assert managed == {
            "status": "ok",
            "replayed": True,
            "name": "Renamed",
            "conflict": "version_conflict",
            "invalid": {
                "code": "validation_failed",
                "status": 422,
                "param": "bid_cents",
                "request_id": True,
            },
            "listed": 3,
            "reported": True,
            "state": "paused",
            "pauses_ms": [],
        }


async def _access_token(demo: dict[str, Any]) -> str:
    grant = {"grant_type": "password", **demo["owner"]}
    return str((await _call(demo, "/v1/auth/token", "", grant))["access_token"])


async def _call(demo: dict[str, Any], path: str, token: str, body: Any = None) -> dict[str, Any]:
    """POST with a body, GET without."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    method = "GET" if body is None else "POST"
    async with http_client() as http:
        answer = await http.request(method, demo["control_url"] + path, json=body, headers=headers)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _event_of(demo: dict[str, Any], ad_id: str) -> dict[str, Any]:
    """The newest impression of an ad."""

    async def find() -> dict[str, Any] | None:
        page = await _call(
            demo, "/v1/integration/events?kind=impression", demo["keys"]["ak_test"]["key"]
        )
        return next((one for one in page["data"] if one["ad_id"] == ad_id), None)

    return await eventually(find)
