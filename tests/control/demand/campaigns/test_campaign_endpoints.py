"""Campaigns through the API."""

import asyncio
from typing import Any
from uuid import uuid4

from control.storage.tables.campaigns import CampaignSpendRow
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of

BODY = {"name": "Spring", "objective": "traffic", "pricing_model": "cpm", "bid_cents": 200}


async def test_an_integration_key_creates_on_its_property_and_environment(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property(timezone="America/Sao_Paulo")
    headers = await customer.key_headers(site["id"], "test")

    answer = await customer.post("/v1/campaigns", BODY, headers)

    found = answer.json()
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/campaigns/{found['id']}"
    assert answer.headers["etag"] == '"1"'
    assert (found["property_ids"], found["is_test"]) == ([site["id"]], True)
    assert (found["pacing"], found["priority"], found["status"]) == ("even", "auction", "draft")
    assert (found["timezone"], found["spend_cents"]) == ("America/Sao_Paulo", 0)
    assert found["budget"] == {"total_cents": None, "daily_cents": None}
    assert (await customer.get(f"/v1/campaigns/{found['id']}", headers)).json() == found


async def test_a_signed_in_user_names_environment_and_properties(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    nowhere = await customer.post("/v1/campaigns", BODY | {"property_ids": [site["id"]]})
    nothing = await customer.post("/v1/campaigns?environment=live", BODY)

    assert params_of(nowhere) == ["environment"]
    assert params_of(nothing) == ["property_ids"]
    assert params_of(await customer.get("/v1/campaigns")) == ["environment"]


async def test_a_key_names_no_environment_but_its_own(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    headers = await customer.key_headers((await customer.make_property())["id"], "live")

    answer = await customer.post("/v1/campaigns?environment=test", BODY, headers)

    assert (answer.status_code, code_of(answer)) == (403, "wrong_environment")


async def test_terms_are_returned_as_they_were_set(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    terms: dict[str, Any] = {
        "priority": "sponsorship",
        "share_of_voice_percent": 40,
        "start_at": "2026-03-01T00:00:00.000Z",
        "end_at": "2126-03-01T00:00:00.000Z",
        "budget": {"total_cents": 1000, "daily_cents": 100},
        "goal": {"kind": "clicks", "total": 10},
        "frequency_caps": [
            {
                "scope": "ad",
                "event": "click",
                "limit": 1,
                "window": {"interval": 1, "unit": "day"},
            }
        ],
        "targeting": {"geo": {"include": [{"country": "BR"}]}, "languages": ["pt"]},
        "attribution": {
            "click_window_hours": 1,
            "view_window_hours": 0,
            "conversion_events": ["sale", "_lead"],
            "bill_in_session": True,
            "pixel_conversions_per_click": 3,
        },
        "external_ref": uuid4().hex,
        "metadata": {"a": "b"},
    }

    found = await customer.make_campaign(site["id"], **terms)

    assert {name: found[name] for name in terms} == terms


async def test_terms_that_do_not_fit_together_are_refused(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = BODY | {
        "property_ids": [site["id"]],
        "pricing_model": "flat_rate",
        "share_of_voice_percent": 5,
    }

    answer = await customer.post("/v1/campaigns?environment=live", body)

    assert params_of(answer) == ["start_at", "end_at", "share_of_voice_percent"]


async def test_faults_across_fields_are_refused_with_those_of_single_fields(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    made = await customer.make_campaign(site["id"])
    wrong = {
        "name": "",
        "start_at": "2027-03-02T00:00:00Z",
        "end_at": "2027-03-01T00:00:00Z",
        "budget": {"total_cents": 5, "daily_cents": 6},
        "foo": 1,
    }
    created = await customer.post(
        "/v1/campaigns?environment=live",
        BODY | wrong | {"property_ids": [site["id"]], "bid_cents": 0, "share_of_voice_percent": 5},
    )
    patched = await customer.patch(f"/v1/campaigns/{made['id']}", made["version"], wrong)

    reported = {"name", "end_at", "budget.daily_cents", "foo"}
    assert set(params_of(created)) == reported | {"bid_cents", "share_of_voice_percent"}
    assert set(params_of(patched)) == reported


async def test_terms_that_depend_on_an_invalid_field_are_not_checked(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    body = BODY | {
        "property_ids": [site["id"]],
        "pricing_model": "flat",
        "priority": "highest",
        "start_at": "soon",
        "end_at": "2027-03-01T00:00:00Z",
        "share_of_voice_percent": 5,
    }

    answer = await customer.post("/v1/campaigns?environment=live", body)

    assert params_of(answer) == ["pricing_model", "priority", "start_at"]


async def test_an_external_ref_is_taken_once_per_environment(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    reference = uuid4().hex
    first = await customer.make_campaign(site["id"], external_ref=reference)
    await customer.make_campaign(site["id"], "test", external_ref=reference)
    other = await customer.make_campaign(site["id"])

    again = await customer.post(
        "/v1/campaigns?environment=live",
        BODY | {"property_ids": [site["id"]], "external_ref": reference},
    )
    moved = await customer.patch(f"/v1/campaigns/{other['id']}", 1, {"external_ref": reference})
    found = await customer.get(f"/v1/campaigns?environment=live&external_ref={reference}")

    for answer in (again, moved):
        assert (answer.status_code, code_of(answer)) == (409, "already_exists")
        assert answer.json()["error"]["param"] == "external_ref"
    assert [item["id"] for item in found.json()["data"]] == [first["id"]]


async def test_transitions_change_a_campaign_and_a_refusal_lists_the_allowed_ones(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])
    path = f"/v1/campaigns/{found['id']}"

    statuses = [
        (await customer.post(f"{path}/{verb}")).json()["status"]
        for verb in ("activate", "pause", "resume", "archive")
    ]
    refused = await customer.post(f"{path}/activate")

    assert statuses == ["active", "paused", "active", "archived"]
    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")
    assert (await customer.get(path)).headers["etag"] == '"5"'


async def test_delivery_follows_what_the_campaign_has(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    await customer.make_slot(site["id"])
    found = await customer.make_campaign(site["id"], "test")
    path = f"/v1/campaigns/{found['id']}"

    async def delivery() -> tuple[str, str | None]:
        shown = (await customer.get(path)).json()
        return shown["delivery_status"], shown["delivery_reason"]

    seen = [await delivery()]
    await customer.post(f"{path}/activate")
    seen.append(await delivery())
    ad = await customer.make_ad(
        found["id"], "test", targeting={"device": {"os": ["ios"]}, "languages": ["pt"]}
    )
    await customer.post(f"/v1/ads/{ad['id']}/activate")
    seen.append(await delivery())
    await customer.post(f"/v1/ads/{(await customer.make_ad(found['id'], 'test'))['id']}/activate")
    seen.append(await delivery())
    await customer.patch(path, 2, {"goal": {"kind": "clicks", "total": 5}})
    seen.append(await delivery())

    assert seen == [
        ("not_delivering", "draft: activate the campaign"),
        ("no_ads", "no_ads: add an ad and activate it"),
        ("delivering", None),
        ("delivering", None),
        ("delivering", None),
    ]


async def test_a_live_campaign_is_blocked_while_its_property_is_unverified(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])

    activated = await customer.post(f"/v1/campaigns/{found['id']}/activate")

    assert activated.json()["delivery_status"] == "blocked"


async def test_spend_is_shown_in_cents_rounded_down(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])
    async with api.control.database.service() as session:
        session.add(
            CampaignSpendRow(
                campaign_id=found["id"],
                account_id=owner.account_id,
                spent_micros=29_999,
                impressions=0,
                clicks=0,
                conversions=0,
                updated_at=api.control.clock.now(),
            )
        )

    assert (await customer.get(f"/v1/campaigns/{found['id']}")).json()["spend_cents"] == 2


async def test_a_patch_leaves_what_it_does_not_name(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign(
        (await customer.make_property())["id"], external_ref=uuid4().hex, metadata={"a": "b"}
    )

    answer = await customer.patch(
        f"/v1/campaigns/{found['id']}", 1, {"bid_cents": 300, "external_ref": None}
    )

    changed = {"bid_cents": 300, "external_ref": None, "version": 2}
    assert answer.json() == found | changed | {"updated_at": answer.json()["updated_at"]}


async def test_one_of_two_concurrent_patches_succeeds(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])
    path = f"/v1/campaigns/{found['id']}"

    answers = await asyncio.gather(
        *(customer.patch(path, 1, {"bid_cents": cents}) for cents in range(1, 9))
    )

    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7


async def test_an_archived_campaign_cannot_be_patched(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_campaign((await customer.make_property())["id"])
    await customer.post(f"/v1/campaigns/{found['id']}/archive")

    answer = await customer.patch(f"/v1/campaigns/{found['id']}", 2, {"name": "x"})

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")


async def test_targeting_names_slots_of_its_own_properties(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    own, foreign = await customer.make_slot(site["id"]), await customer.make_slot(other["id"])
    campaign = await customer.make_campaign(
        site["id"], targeting={"slots": {"include": [own["id"]]}}
    )

    answer = await customer.patch(
        f"/v1/campaigns/{campaign['id']}", 1, {"targeting": {"slots": {"exclude": [foreign["id"]]}}}
    )

    assert params_of(answer) == ["targeting.slots"]


async def test_a_key_sees_nothing_of_other_properties_and_environments(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    own = await customer.make_campaign(site["id"])
    hidden = [
        await customer.make_campaign(other["id"]),
        await customer.make_campaign(site["id"], "test"),
        await customer.make_campaign(site["id"], property_ids=[site["id"], other["id"]]),
    ]
    headers = await customer.key_headers(site["id"], "live")

    listed = await customer.get("/v1/campaigns", headers)
    moved = await customer.patch(
        f"/v1/campaigns/{own['id']}", 1, {"property_ids": [other["id"]]}, headers
    )

    assert [item["id"] for item in listed.json()["data"]] == [own["id"]]
    assert moved.status_code == 404
    for campaign in hidden:
        path = f"/v1/campaigns/{campaign['id']}"
        assert (await customer.get(path, headers)).status_code == 404
        assert (await customer.patch(path, 1, {"name": "x"}, headers)).status_code == 404
        assert (await customer.post(f"{path}/activate", headers=headers)).status_code == 404


async def test_a_campaign_of_another_account_is_not_found(api: ControlApi, owner: Person) -> None:
    campaign = await Customer(api, owner).make_campaign(
        (await Customer(api, owner).make_property())["id"]
    )
    outsider = Customer(api, await api.sign_up())
    path = f"/v1/campaigns/{campaign['id']}"

    for answer in (
        await outsider.get(path),
        await outsider.patch(path, 1, {"name": "x"}),
        await outsider.post(f"{path}/activate"),
    ):
        assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_a_scope_that_is_missing_is_named(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    headers = await customer.key_headers(
        (await customer.make_property())["id"], scopes=["campaign:read"]
    )

    answer = await customer.post("/v1/campaigns", BODY, headers)

    assert (answer.status_code, code_of(answer)) == (403, "insufficient_scope")
    assert "campaign:write" in answer.json()["error"]["message"]


async def test_unknown_parameters_are_refused(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)

    unknown = await customer.get("/v1/campaigns?environment=live&color=red")
    too_many = await customer.get("/v1/campaigns?environment=live&limit=101")

    assert (params_of(unknown), params_of(too_many)) == (["color"], ["limit"])
