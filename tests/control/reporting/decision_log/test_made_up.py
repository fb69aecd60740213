"""An opportunity that nobody had: what would be answered, and why."""

from typing import Any

import pytest

from tests.control.reporting.decision_log.world import World
from tests.support.control_api import code_of
from tests.support.resources import params_of

BR = {"geo": {"include": [{"country": "br"}]}}


def request(world: World, **changes: Any) -> dict[str, Any]:
    return {"slot": world.slot["id"], "environment": "test", "surface": "web", **changes}


async def test_the_best_campaign_wins_and_the_other_fits(world: World) -> None:
    cheap, dear = await world.run_campaign(bid_cents=100), await world.run_campaign(bid_cents=300)

    explained = await world.explain(opportunity=request(world))

    assert explained["outcome"]["campaign_id"] == dear
    assert {line["campaign_id"]: line["state"] for line in explained["considered"]} == {
        dear: "won",
        cheap: "fits",
    }
    assert (explained["decision_id"], explained["reproduced"]) == (None, None)


async def test_an_older_version_gives_the_former_decision(world: World) -> None:
    campaign = await world.run_campaign()
    before = await world.explain(opportunity=request(world))
    await world.act(f"/v1/campaigns/{campaign}/pause")

    then = await world.explain(
        opportunity=request(world), snapshot_version=before["snapshot"]["version"]
    )
    now = await world.explain(opportunity=request(world))

    assert then["outcome"] == before["outcome"]
    assert now["outcome"]["reason"] == "campaign_not_active"


async def test_signals_are_matched_against_targeting(world: World) -> None:
    await world.run_campaign(targeting=BR)

    found = [
        (await world.explain(opportunity=request(world, country=country)))["considered"][0]
        for country in ("br", "de")
    ]

    assert [(line["matched"], line["missed"]) for line in found] == [(["geo"], []), ([], ["geo"])]


async def test_an_advertiser_already_shown_may_be_named_by_a_url(world: World) -> None:
    await world.run_campaign()

    filled = [
        (await world.explain(opportunity=request(world, shown_advertisers=[named])))["outcome"][
            "filled"
        ]
        for named in ("https://Shop.Example.com/sale", "example.com", "other.example")
    ]

    assert filled == [False, False, True]


async def test_a_seed_gives_the_same_answer_again(world: World) -> None:
    for _ in range(4):
        await world.run_campaign()
    first = await world.explain(opportunity=request(world))

    again = await world.explain(opportunity=request(world), seed=first["seed"], at=first["at"])

    assert again == first


async def test_a_list_is_cut_and_says_how_much_there_was(world: World) -> None:
    for _ in range(3):
        await world.run_campaign()

    explained = await world.explain(opportunity=request(world), limit=1)

    assert (len(explained["considered"]), explained["considered_total"]) == (1, 3)
    assert explained["considered"][0]["state"] == "won"


async def test_a_key_names_its_slot_by_key_and_the_reserved_ones_too(world: World) -> None:
    headers = await world.customer.key_headers(world.property_id, "test", ["reports:read"])

    top = await world.explain(headers, opportunity={"slot": "top"})
    never = await world.explain(headers, opportunity={"slot": "demo-never-fill"})

    assert top["slot_id"] == world.slot["id"]
    assert never["outcome"]["reason"] == "demo_never_fills"


async def test_a_foreign_slot_is_not_found(world: World) -> None:
    other = await World.open(world.api)

    by_id = await world.customer.post("/v1/decisions/explain", {"opportunity": request(other)})
    by_property = await world.customer.post(
        "/v1/decisions/explain",
        {"opportunity": request(world) | {"property_id": other.property_id}},
    )

    assert [code_of(answer) for answer in (by_id, by_property)] == ["not_found", "not_found"]


async def test_a_week_ago_is_gone(world: World) -> None:
    answer = await world.customer.post(
        "/v1/decisions/explain", {"opportunity": request(world), "at": "2020-01-01T00:00:00Z"}
    )

    assert (answer.status_code, code_of(answer)) == (410, "decision_expired")


async def test_a_key_of_one_environment_may_not_ask_about_the_other(world: World) -> None:
    headers = await world.customer.key_headers(world.property_id, "live", ["reports:read"])

    answer = await world.customer.post(
        "/v1/decisions/explain", {"opportunity": request(world)}, headers
    )

    assert code_of(answer) == "wrong_environment"


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ({}, ["body"]),
        ({"opportunity": {}}, ["opportunity.slot"]),
        (
            {"opportunity": {"slot": "x", "w": 0, "country": "BRA"}},
            ["opportunity.w", "opportunity.country"],
        ),
        ({"decision_id": "x", "limit": 0}, ["decision_id", "limit"]),
        ({"opportunity": {"slot": "x"}, "snapshot_version": 2**63 - 1}, ["snapshot_version"]),
    ],
    ids=["nothing", "no slot", "two faults", "no id", "no version"],
)
async def test_every_fault_is_named(world: World, body: Any, params: list[str]) -> None:
    answer = await world.customer.post("/v1/decisions/explain", body)

    assert sorted(params_of(answer)) == sorted(params)
