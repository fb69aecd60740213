"""A recorded decision, asked about: the very answer that the edge gave, whatever has changed since."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import Fill, NoFill
from common.tracking.event import LogRecord
from common.tracking.record import encode_record
from common.values.ids import new_id
from tests.control.reporting.decision_log.world import WRITER, World
from tests.support.control_api import ControlApi, bearer, code_of
from tests.support.records import an_event


def outcome_of(explained: dict[str, Any]) -> tuple[Any, ...]:
    outcome = explained["outcome"]
    return outcome["ad_id"], outcome["price_micros"], outcome["source"], outcome["reason"]


async def test_a_fill_is_explained_as_it_was_made(world: World) -> None:
    cheap, dear = await world.run_campaign(bid_cents=100), await world.run_campaign(bid_cents=300)
    record, decision = await world.decide()
    await world.keep(record)

    explained = await world.explain(decision_id=record.id)

    assert isinstance(decision, Fill)
    assert decision.campaign.id == dear
    assert outcome_of(explained) == (decision.ad.id, 3000, "auction", None)
    assert (explained["reproduced"], explained["considered_total"]) == (True, 2)
    assert [
        (line["campaign_id"], line["state"], line["turn"]) for line in explained["considered"]
    ] == [
        (dear, "won", 1),
        (cheap, "fits", 2),
    ]


async def test_later_changes_do_not_change_the_explanation(world: World) -> None:
    first = await world.run_campaign(bid_cents=100)
    record, _ = await world.decide()
    await world.keep(record)
    before = await world.explain(decision_id=record.id)

    await world.act(f"/v1/campaigns/{first}/pause")
    await world.run_campaign(bid_cents=900)
    again, _ = await world.decide()
    await world.keep(again)

    assert await world.explain(decision_id=record.id) == before
    now = await world.explain(decision_id=again.id)
    assert now["snapshot"]["version"] > before["snapshot"]["version"]
    assert now["outcome"]["campaign_id"] != before["outcome"]["campaign_id"]


async def test_no_fill_says_which_gate_and_what_to_do(world: World) -> None:
    await world.run_campaign(targeting={"geo": {"include": [{"country": "br"}]}})
    record, decision = await world.decide(signals=Signals(country="de"))
    await world.keep(record)

    explained = await world.explain(decision_id=record.id)

    assert isinstance(decision, NoFill)
    (line,) = explained["considered"]
    assert explained["outcome"]["reason"] == line["dropped_by"] == decision.reason
    assert line["missed"] == (["geo"] if decision.reason == "geo_not_targeted" else line["missed"])
    assert explained["outcome"]["words"] == line["words"]
    assert "Change" in line["words"] or "Remove that feature" in line["words"]


async def test_a_slot_without_campaigns_is_explained(world: World) -> None:
    record, _ = await world.decide()
    await world.keep(record)

    explained = await world.explain(decision_id=record.id)

    assert outcome_of(explained) == (None, None, None, "no_candidate")
    assert (explained["considered"], explained["reproduced"]) == ([], True)


async def test_a_record_that_comes_twice_is_kept_once(world: World) -> None:
    record, _ = await world.decide()
    await world.keep(record, record)
    await world.keep(record)

    assert (await world.explain(decision_id=record.id))["decision_id"] == record.id


async def test_poison_keeps_no_record_from_being_stored(world: World) -> None:
    record, _ = await world.decide()
    await world.keep(b"no record", record)

    assert (await world.explain(decision_id=record.id))["decision_id"] == record.id


async def test_an_integration_key_of_the_property_and_environment_may_ask(world: World) -> None:
    record, _ = await world.decide()
    await world.keep(record)
    scopes = ["reports:read"]
    own = await world.customer.key_headers(world.property_id, "test", scopes)
    live = await world.customer.key_headers(world.property_id, "live", scopes)
    other = await world.customer.make_property(domain=f"{new_id()}.example")
    elsewhere = await world.customer.key_headers(other["id"], "test", scopes)
    body = {"decision_id": record.id}

    answers = [
        await world.customer.post("/v1/decisions/explain", body, headers)
        for headers in (own, live, elsewhere)
    ]

    assert [a.status_code for a in answers] == [200, 404, 404]


async def test_another_account_finds_no_decision(world: World, api: ControlApi) -> None:
    record, _ = await world.decide()
    await world.keep(record)
    outsider = await api.sign_up()

    answer = await world.customer.post(
        "/v1/decisions/explain", {"decision_id": record.id}, bearer(outsider.access_token)
    )

    assert (answer.status_code, code_of(answer)) == (404, "not_found")


@pytest.mark.parametrize(
    ("decision_id", "code"),
    [
        ("01900000-0000-7000-8000-000000000001", "decision_expired"),
        ("0d3d6c2e-0f4e-4b0e-9c39-0c6c3f0a2a11", "not_found"),
    ],
    ids=["of last year", "of no decision"],
)
async def test_what_is_not_kept_is_refused(world: World, decision_id: str, code: str) -> None:
    answer = await world.customer.post("/v1/decisions/explain", {"decision_id": decision_id})

    assert code_of(answer) == code


async def test_an_unknown_decision_of_today_is_not_found(world: World) -> None:
    answer = await world.customer.post("/v1/decisions/explain", {"decision_id": new_id()})

    assert code_of(answer) == "not_found"


async def test_explaining_leaves_no_line_in_the_audit_log(world: World) -> None:
    record, _ = await world.decide()
    await world.keep(record)
    await world.explain(decision_id=record.id)

    log = (await world.customer.get("/v1/audit-log")).json()

    assert "explainDecision" not in {line["action"] for line in log["data"]}


async def test_records_that_cannot_be_kept_hold_up_no_other(world: World) -> None:
    await world.run_campaign()
    record, _ = await world.decide()
    never = str(UUID(int=(2**48 - 1) << 80 | 7 << 76 | 2 << 62 | 1))
    foreign = encode_record(LogRecord(WRITER, 1, b"", an_event()))
    nul = foreign.replace(b'"token_id":"', b'"token_id":"\\u0000')
    assert nul != foreign

    await world.keep(nul, replace(record, id=never), record)

    assert (await world.explain(decision_id=record.id))["reproduced"]
    answer = await world.customer.post("/v1/decisions/explain", {"decision_id": never})
    assert code_of(answer) == "not_found"
