"""Slots through the API."""

from typing import Any

import pytest

from common.values.ids import new_id
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, params_of


async def test_a_slot_takes_its_key_from_its_name(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    found = await customer.make_slot(site["id"], name="Article, top")

    assert (found["key"], found["status"], found["audio"]) == ("article-top", "active", None)
    assert (await customer.get(f"/v1/slots/{found['id']}")).json() == found


async def test_a_key_is_unique_in_its_property_only(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    await customer.make_slot(site["id"], key="top")

    elsewhere = await customer.make_slot(other["id"], key="top")
    again = await customer.post(
        "/v1/slots",
        {"property_id": site["id"], "key": "top", "name": "T", "formats": ["banner"]},
    )

    assert elsewhere["key"] == "top"
    assert (again.status_code, code_of(again)) == (409, "already_exists")
    assert again.json()["error"]["param"] == "key"


async def test_a_key_is_no_id_of_another_slot_of_the_property(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    first = await customer.make_slot(site["id"], key="top")

    elsewhere = await customer.make_slot(other["id"], key=first["id"])
    again = await customer.post(
        "/v1/slots",
        {"property_id": site["id"], "key": first["id"], "name": "T", "formats": ["banner"]},
    )

    assert elsewhere["key"] == first["id"]
    assert (again.status_code, code_of(again)) == (409, "already_exists")


async def test_a_format_that_does_not_exist_is_refused_with_those_that_do(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    answer = await customer.post(
        "/v1/slots", {"property_id": site["id"], "name": "T", "formats": ["banner", "popup"]}
    )

    assert params_of(answer) == ["formats.1"]
    assert "'audio', 'video', 'email'" in answer.json()["error"]["message"]


async def test_a_key_of_another_shape_is_refused_in_words(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()

    answer = await customer.post(
        "/v1/slots",
        {"property_id": site["id"], "key": "Top!", "name": "T", "formats": ["banner"]},
    )

    assert params_of(answer) == ["key"]
    assert "key: Use lower-case letters, digits" in answer.json()["error"]["message"]


async def test_a_slot_is_archived_and_brought_back_by_patch(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    found = await customer.make_slot((await customer.make_property())["id"])
    path = f"/v1/slots/{found['id']}"

    archived = await customer.patch(path, 1, {"status": "archived"})
    back = await customer.patch(path, 2, {"status": "active", "floor_cents": 10})

    assert (archived.json()["status"], archived.json()["version"]) == ("archived", 2)
    assert (back.json()["status"], back.json()["floor_cents"]) == ("active", 10)


async def test_a_house_ad_is_one_of_the_accounts_ads(api: ControlApi, owner: Person) -> None:
    customer, outsider = Customer(api, owner), Customer(api, await api.sign_up())
    site, theirs = await customer.make_property(), await outsider.make_property()
    slot = await customer.make_slot(site["id"])
    ad = await customer.make_ad((await customer.make_campaign(site["id"]))["id"])
    foreign = await outsider.make_ad((await outsider.make_campaign(theirs["id"]))["id"])
    path = f"/v1/slots/{slot['id']}"

    good = await customer.patch(path, 1, {"house_ad_id": ad["id"]})
    bad = await customer.patch(path, 2, {"house_ad_id": foreign["id"]})
    cleared = await customer.patch(path, 2, {"house_ad_id": None})

    assert good.json()["house_ad_id"] == ad["id"]
    assert params_of(bad) == ["house_ad_id"]
    assert cleared.json()["house_ad_id"] is None


async def test_a_slot_on_a_foreign_property_is_not_found(api: ControlApi, owner: Person) -> None:
    customer, outsider = Customer(api, owner), Customer(api, await api.sign_up())
    site = await customer.make_property()
    body = {"name": "T", "formats": ["banner"]}

    foreign = await outsider.post("/v1/slots", body | {"property_id": site["id"]})
    absent = await outsider.post("/v1/slots", body | {"property_id": new_id()})

    assert (foreign.status_code, absent.status_code) == (404, 404)
    assert foreign.json()["error"]["message"] == absent.json()["error"]["message"]


async def test_an_integration_key_sees_the_slots_of_its_property(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site, other = await customer.make_property(), await customer.make_property()
    own, foreign = await customer.make_slot(site["id"]), await customer.make_slot(other["id"])
    headers = await customer.key_headers(site["id"])

    listed = await customer.get("/v1/slots", headers)
    filtered = await customer.get(f"/v1/slots?property_id={other['id']}", headers)

    assert [item["id"] for item in listed.json()["data"]] == [own["id"]]
    assert filtered.json()["data"] == []
    assert (await customer.get(f"/v1/slots/{foreign['id']}", headers)).status_code == 404


@pytest.mark.parametrize(
    ("slot_changes", "ad_changes", "code"),
    [
        ({"formats": ["native"]}, {}, "format_mismatch"),
        ({"sizes": [{"width": 728, "height": 90}]}, {}, "size_mismatch"),
        ({}, {"archived": True}, "ad_ended"),
    ],
)
async def test_a_house_ad_that_could_never_show_is_refused(
    api: ControlApi,
    owner: Person,
    slot_changes: dict[str, Any],
    ad_changes: dict[str, bool],
    code: str,
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    ad = await customer.make_ad((await customer.make_campaign(site["id"]))["id"])
    if ad_changes:
        await customer.post(f"/v1/ads/{ad['id']}/archive")
    slot = await customer.make_slot(site["id"], **slot_changes)

    answer = await customer.patch(f"/v1/slots/{slot['id']}", 1, {"house_ad_id": ad["id"]})

    assert params_of(answer) == ["house_ad_id"]
    assert answer.json()["error"]["details"][0]["code"] == code


async def test_a_slot_keeps_room_for_its_house_ad(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property()
    ad = await customer.make_ad((await customer.make_campaign(site["id"]))["id"])
    slot = await customer.make_slot(site["id"], house_ad_id=ad["id"])
    path = f"/v1/slots/{slot['id']}"

    narrowed = await customer.patch(path, 1, {"formats": ["native"]})
    both = await customer.patch(path, 1, {"formats": ["native"], "house_ad_id": None})

    assert params_of(narrowed) == ["house_ad_id"]
    assert both.json()["house_ad_id"] is None


async def test_audio_bounds_are_for_audio_slots(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    slot = await customer.make_slot((await customer.make_property())["id"])

    answer = await customer.patch(
        f"/v1/slots/{slot['id']}", 1, {"audio": {"max_duration_ms": 30_000, "max_ads": 2}}
    )

    assert params_of(answer) == ["audio"]


async def test_slots_are_filtered_by_status_and_key(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    site = await customer.make_property()
    top, old = [await customer.make_slot(site["id"], key=key) for key in ("top", "old")]
    await customer.patch(f"/v1/slots/{old['id']}", 1, {"status": "archived"})

    active = (await customer.get("/v1/slots?status=active")).json()["data"]
    named = (await customer.get("/v1/slots?key=old")).json()["data"]

    assert ([item["id"] for item in active], [item["id"] for item in named]) == (
        [top["id"]],
        [old["id"]],
    )


async def test_ids_are_taken_in_either_case_and_answered_in_lower_case(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = (await customer.make_property())["id"]

    slot = await customer.make_slot(site.upper(), name="Top")
    path = f"/v1/slots/{slot['id'].upper()}"
    read = (await customer.get(path)).json()
    changed = await customer.patch(path, 1, {"name": "Upper"})
    listed = (await customer.get(f"/v1/slots?property_id={site.upper()}")).json()["data"]
    audited = await customer.get(f"/v1/audit-log?action=updateSlot&object_id={slot['id'].upper()}")

    assert (slot["property_id"], read) == (site, slot)
    assert (changed.status_code, changed.json()["id"]) == (200, slot["id"])
    assert [one["id"] for one in listed] == [slot["id"]]
    assert [line["object_id"] for line in audited.json()["data"]] == [slot["id"]]
