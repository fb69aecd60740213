"""Servers with a publishable key: their data about the visitor is trusted where the property allows it."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from common.ivt.judge_lists import JudgeLists
from common.ivt.lists import parse_ranges
from common.snapshot.model import RateLimits
from common.values.enums import Reason
from edge.state.ip_lists import IpLists
from tests.edge.endpoints.targeted import a_world, outcome
from tests.edge.tracking.track_clients import (
    BROWSER,
    ROBOT,
    AllGermany,
    TrackClients,
    open_track_clients,
)
from tests.support.builders import NOW_MS, a_property
from tests.support.worker import events_of

_LOOPBACK = "127.0.0.0/8"
_READER = {"ip": "203.0.113.9", "ua": BROWSER}
_IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
_SERVER = {"User-Agent": "python-requests/2.32.0"}


async def track(clients: TrackClients, **text: Any) -> int:
    body = {"token": clients.tokens(issued_ms=NOW_MS).track, "event": "impression", **text}
    return (await clients.track(body, **_SERVER)).status_code


async def test_events_are_judged_by_the_person_that_the_server_names(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, a_property(server_rendering=True)) as clients:
        assert await track(clients, **_READER) == 204
        assert await track(clients, ip="203.0.113.9", ua=ROBOT) == 204
        assert await track(clients, **{**_READER, "ip": "198.51.100.4"}) == 204
        assert await track(clients) == 204
        events = await events_of(clients.edge)
    assert [event.reason for event in events] == [
        Reason.OK,
        Reason.BOT_USER_AGENT,
        Reason.OK,
        Reason.BOT_USER_AGENT,
    ]
    assert [event.facts.ip_prefix for event in events[:3:2]] == [
        "203.0.113.0/24",
        "198.51.100.0/24",
    ]
    assert events[0].facts.client_hash != events[2].facts.client_hash


@pytest.mark.parametrize("reader", [{}, {"ip": "203.0.113.9"}, {"ip": "203.0.113.9", "ua": ""}])
async def test_without_the_persons_user_agent_an_event_is_a_servers(
    tmp_path: Path, reader: dict[str, str]
) -> None:
    async with open_track_clients(tmp_path) as clients:
        body = {"token": clients.tokens(issued_ms=NOW_MS).track, "event": "impression", **reader}
        headers = {"Authorization": f"Bearer {clients.secret}", **_SERVER}
        await clients.http.post("/v1/track", json=body, headers=headers)
        (event,) = await events_of(clients.edge)
    assert event.reason is Reason.OK


@pytest.mark.parametrize("reader", [{}, {"ua": ""}])
async def test_the_address_that_a_server_names_counts_without_a_user_agent(
    tmp_path: Path, reader: dict[str, str]
) -> None:
    prop = a_property(server_rendering=True, excluded_ip_ranges=("198.51.100.0/24",))
    async with open_track_clients(tmp_path, prop) as clients:
        clients.edge.geo = AllGermany()
        for key in ({}, {"Authorization": f"Bearer {clients.secret}"}):
            for ip in ("203.0.113.9", "198.51.100.4"):
                body = {
                    "token": clients.tokens(issued_ms=NOW_MS).track,
                    "event": "click",
                    "ip": ip,
                    **reader,
                }
                headers = {**(key or {"X-Service-Key": clients.publishable}), **_SERVER}
                await clients.http.post("/v1/track", json=body, headers=headers)
        events = await events_of(clients.edge)
    assert [event.reason for event in events] == [Reason.OK, Reason.INTERNAL_TRAFFIC] * 2
    assert {(event.country, event.device) for event in events} == {("de", None)}
    assert {event.facts.user_agent_family for event in events} == {None}
    one, other, *again = [event.facts.client_hash for event in events]
    assert [one, other] == again
    assert None not in {one, other}
    assert one != other


@pytest.mark.parametrize(
    ("agent", "reason", "device"),
    [(BROWSER, Reason.OK, "desktop"), (ROBOT, Reason.BOT_USER_AGENT, None)],
)
async def test_the_user_agent_that_a_server_names_counts_without_an_address(
    tmp_path: Path, agent: str, reason: Reason, device: str | None
) -> None:
    prop = a_property(server_rendering=True, excluded_ip_ranges=(_LOOPBACK,))
    async with open_track_clients(tmp_path, prop) as clients:
        clients.edge.geo = AllGermany()
        clients.edge.lists = IpLists(JudgeLists(parse_ranges(_LOOPBACK)))
        for key in (
            {"X-Service-Key": clients.publishable},
            {"Authorization": f"Bearer {clients.secret}"},
        ):
            token = clients.tokens(issued_ms=NOW_MS).track
            body = {"token": token, "event": "click", "ua": agent}
            await clients.http.post("/v1/track", json=body, headers={**key, **_SERVER})
        events = await events_of(clients.edge)
    assert [event.reason for event in events] == [reason] * 2
    assert {(event.country, event.device) for event in events} == {(None, device)}
    assert {(one.facts.ip_prefix, one.facts.client_hash) for one in events} == {(None, None)}


async def test_each_event_of_a_batch_has_its_own_person(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, a_property(server_rendering=True)) as clients:
        people = ({"ua": BROWSER}, {"ua": ROBOT})
        body = [
            {"token": clients.tokens(issued_ms=NOW_MS).track, "event": "impression", **one}
            for one in people
        ]
        headers = {"X-Service-Key": clients.publishable, **_SERVER}
        await clients.http.post("/v1/track/batch", json={"events": body}, headers=headers)
        reasons = [event.reason for event in await events_of(clients.edge)]
    assert reasons == [Reason.OK, Reason.BOT_USER_AGENT]


async def test_without_server_rendering_the_person_is_ignored(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path) as clients:
        assert await track(clients, ip="nonsense", ua=BROWSER) == 204
        (event,) = await events_of(clients.edge)
    assert event.reason is Reason.BOT_USER_AGENT


@pytest.mark.parametrize(("name", "value"), [("ip", "nonsense"), ("ip", 5), ("ua", 5)])
async def test_an_invalid_person_is_refused(tmp_path: Path, name: str, value: object) -> None:
    async with open_track_clients(tmp_path, a_property(server_rendering=True)) as clients:
        body = {"token": clients.tokens(issued_ms=NOW_MS).track, "event": "impression", name: value}
        refused = await clients.track(body)
        assert (refused.status_code, refused.json()["error"]["param"]) == (422, name)


@pytest.mark.parametrize(
    ("targeting", "query", "ignored"),
    [
        (
            {"geo": {"include": [{"country": "br", "region": "sp"}]}},
            "ip=203.0.113.7",
            "geo_not_targeted",
        ),
        ({"device": {"os": ["ios"]}}, f"ua={quote(_IPHONE)}", "device_not_targeted"),
        ({"segments": {"include": ["buyers"]}}, "segments=Buyers&gdpr=0", "segments_not_targeted"),
    ],
    ids=["ip", "ua", "segments"],
)
async def test_an_ad_is_chosen_by_the_visitor_that_the_server_names(
    targeting: dict[str, Any], query: str, ignored: str, tmp_path: Path
) -> None:
    server = f"User-Agent: {_SERVER['User-Agent']}"
    outcomes = []
    for believed in (True, False):
        async with a_world(targeting, server_rendering=believed) as world:
            world.place(tmp_path)
            outcomes.append(outcome(await world.ask(query, server)))
    assert outcomes == ["fill", ignored]


@pytest.mark.parametrize(("believed", "allowed"), [(True, 9), (False, 3)])
async def test_the_limit_per_address_does_not_apply_to_servers(
    tmp_path: Path, *, believed: bool, allowed: int
) -> None:
    """Bursts are three times a limit."""
    limits = RateLimits(3, 1, 3, 1)
    prop = replace(a_property(server_rendering=believed), rate_limits=limits)
    async with open_track_clients(tmp_path, prop) as clients:
        headers = {"X-Service-Key": clients.publishable}
        served = [
            await clients.get("/v1/serve?slot=top&ip=203.0.113.9", **headers) for _ in range(12)
        ]
        tracked = [await track(clients) for _ in range(12)]
    assert [one.status_code for one in served].count(200) == allowed
    assert tracked.count(204) == allowed
