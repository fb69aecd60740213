"""Test keys can have what live does: any no-fill, any verdict, any refusal, another instant."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from common.contract.scenarios import INVALID_REASONS, NO_FILLS
from common.tracking.token import parse_token
from common.values.clock import from_ms
from common.values.enums import Reason
from common.values.environment import Environment
from tests.edge.tracking.track_clients import TrackClients, open_track_clients
from tests.support.builders import NOW_MS, a_campaign, a_slot, an_ad
from tests.support.worker import events_of

_NOW = from_ms(NOW_MS)


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[TrackClients]:
    """With a slot ``later`` whose campaign starts in ten days."""
    slot = a_slot(key="later", floor_micros=5_000_000)
    starts_ms = NOW_MS + 10 * 86_400_000
    campaign = a_campaign(bid_cents=1_000, environment=Environment.TEST, start_at_ms=starts_ms)
    ad = an_ad(campaign, slot_ids=(slot.id,))
    async with open_track_clients(
        tmp_path, slot, campaign, ad, environment=Environment.TEST
    ) as clients:
        yield clients


async def serve(
    clients: TrackClients, query: str = "", slot: str = "top", **headers: str
) -> httpx.Response:
    return await clients.get(
        f"/v1/serve?slot={slot}{query}", **{"X-Service-Key": clients.publishable}, **headers
    )


async def track(clients: TrackClients, **headers: str) -> httpx.Response:
    body = {"token": clients.tokens(issued_ms=NOW_MS).track, "event": "impression"}
    return await clients.track(body, **headers)


async def test_every_no_fill_can_be_simulated(trial: TrackClients) -> None:
    for reason in NO_FILLS:
        answer = await serve(trial, f"&test_scenario={reason}")
        assert (answer.status_code, answer.headers["X-No-Fill-Reason"]) == (204, reason)
    several = await serve(trial, "&slot=later", **{"X-Test-Scenario": "paced"})
    assert [one["reason"] for one in several.json()["data"]] == ["paced", "paced"]


async def test_refusals_can_be_simulated(trial: TrackClients) -> None:
    answers = [
        await serve(trial, slot=slot, **{"X-Test-Scenario": name})
        for slot in ("top", "none")  # as in live, the slot is not looked up any more
        for name in ("rate_limited", "tenant_suspended", "error")
    ]
    codes = [(one.status_code, one.json()["error"]["code"]) for one in answers]
    assert codes == [(429, "rate_limited"), (403, "tenant_suspended"), (500, "internal")] * 2
    assert answers[0].headers["Retry-After"] == "1"


async def test_a_slow_answer_can_be_simulated(trial: TrackClients) -> None:
    slow = asyncio.create_task(serve(trial, "&test_scenario=slow"))
    assert (await serve(trial)).status_code == 200
    assert not slow.done()
    answer = await slow
    assert (answer.status_code, answer.json()["ad_id"]) == (200, trial.ad.id)


async def test_every_verdict_can_be_simulated(trial: TrackClients) -> None:
    for reason in INVALID_REASONS:
        assert (await track(trial, **{"X-Test-Scenario": reason})).status_code == 204
    events = await events_of(trial.edge)
    assert [event.reason for event in events] == list(INVALID_REASONS)
    assert [event.live_reason for event in events] == list(INVALID_REASONS)
    assert Reason.RETRACTED not in INVALID_REASONS


async def test_a_replay_and_an_expiry_can_be_simulated(trial: TrackClients) -> None:
    replayed = await track(trial, **{"X-Test-Scenario": "duplicate"})
    expired = await track(trial, **{"X-Test-Scenario": "expired"})
    assert (replayed.status_code, replayed.headers["X-Track-Result"]) == (204, "duplicate")
    assert (expired.status_code, expired.json()["error"]["code"]) == (410, "token_expired")
    assert await events_of(trial.edge) == []


async def test_a_disabled_and_an_outdated_library_can_be_simulated(trial: TrackClients) -> None:
    key = {"X-Service-Key": trial.publishable}
    off = await trial.get("/v1/features?test_scenario=kill_switch", **key)
    old = await trial.get("/v1/features?test_scenario=sdk_too_old", **key)
    broken = await trial.get("/v1/features?test_scenario=error", **key)
    plain = await trial.get("/v1/features", **key)
    assert off.json()["sdk"]["kill_switch"] is True
    assert off.headers["Cache-Control"] == "no-store"
    assert old.json()["sdk"]["min"] == dict.fromkeys(
        ("web", "android", "ios", "flutter"), "999.0.0"
    )
    assert (broken.status_code, plain.json()["sdk"]["kill_switch"]) == (500, False)


@pytest.mark.parametrize("at", [_NOW + timedelta(days=11), _NOW - timedelta(days=11)])
async def test_another_instant_moves_the_decision_and_not_the_token(
    trial: TrackClients, at: datetime
) -> None:
    text = at.isoformat().replace("+00:00", "Z")
    answer = await serve(trial, slot="later", **{"X-Test-Now": text})
    again = await serve(trial, f"&test_now={text}", slot="later")
    now = await serve(trial, slot="later")
    assert now.status_code == 204
    if at < _NOW:
        assert (answer.status_code, again.status_code) == (204, 204)
    else:
        issued = [parse_token(one.json()["track_token"])[0].issued_ms for one in (answer, again)]
        assert issued == [NOW_MS, NOW_MS]


@pytest.mark.parametrize("fraction", ["", ".5", ".123456789"])
async def test_another_instant_may_have_any_fraction_of_a_second(
    trial: TrackClients, fraction: str
) -> None:
    text = f"{_NOW + timedelta(days=11):%Y-%m-%dt%H:%M:%S}{fraction}z"
    assert (await serve(trial, slot="later", **{"X-Test-Now": text})).status_code == 200


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("&test_scenario=nonsense", "test_scenario"),
        ("&test_scenario=bot_user_agent", "test_scenario"),
        ("&test_now=tomorrow", "test_now"),
        ("&test_now=2026-03-01T09:00:00", "test_now"),
        ("&test_now=1999-03-01T09:00:00Z", "test_now"),
    ],
)
async def test_an_unknown_scenario_is_refused(trial: TrackClients, query: str, param: str) -> None:
    refused = await serve(trial, query)
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, param)


async def test_a_refusal_lists_the_scenarios(trial: TrackClients) -> None:
    refused = (await track(trial, **{"X-Test-Scenario": "paced"})).json()["error"]
    assert (refused["code"], refused["param"]) == ("validation_failed", "X-Test-Scenario")
    assert all(reason in refused["message"] for reason in INVALID_REASONS)


async def test_live_keys_cannot_use_scenarios(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path) as live:
        assert (await serve(live)).status_code == 200  # from now on its calls are remembered
        answers = [
            await serve(live, "&test_scenario=paced"),
            await serve(live, **{"X-Test-Scenario": "paced"}),
            await serve(live, "&test_now=2026-03-01T09:00:00Z"),
            await track(live, **{"X-Test-Scenario": "duplicate"}),
            await live.get(
                "/v1/features?test_scenario=error", **{"X-Service-Key": live.publishable}
            ),
        ]
        assert [one.status_code for one in answers] == [422] * 5
        assert {one.json()["error"]["code"] for one in answers} == {"validation_failed"}
        assert (await serve(live)).status_code == 200


@pytest.mark.parametrize("controls", ["test_scenario=nonsense", "test_now=nonsense"])
async def test_scope_and_slot_are_checked_before_test_controls(
    tmp_path: Path, controls: str
) -> None:
    async with open_track_clients(tmp_path) as live:
        answers = [
            await serve(live, f"&debug=1&{controls}"),
            await serve(live, f"&{controls}", slot="none"),
            await serve(live, f"&{controls}"),
        ]
    assert [one.status_code for one in answers] == [403, 404, 422]
