"""Campaigns in windows embedded in a customer's own application: by a test key's bearer, without cookies."""

import pytest

from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.support.control_api import ControlApi, MadeKey, Person
from tests.support.embedding import window_of
from tests.support.forms import attribute, sent_of
from tests.support.resources import Customer
from tests.support.visitor import text_of

FIELDS = {
    "name": "From the host",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": "2.50",
    "pacing": "even",
    "priority": "auction",
    "timezone": "UTC",
}


@pytest.fixture
async def key(api: ControlApi, owner: Person) -> MadeKey:
    return await api.add_key(owner, KeyKind.INTEGRATION, Environment.TEST)


async def test_a_window_creates_a_test_campaign_with_the_hosts_reference_and_notifies_it(
    api: ControlApi, key: MadeKey
) -> None:
    context = {"external_ref": "host-7"}
    async with window_of(api, key.headers, component="campaign_create", context=context) as window:
        page = await window.look(window.start)
        form = sent_of(page, ".campaign-form")
        answer = await window.send(window.start.split("?")[0], **FIELDS, external_ref="host-7")

        after = await window.look(answer.headers["location"])

    found = (await api.http.get("/v1/campaigns", headers=key.headers)).json()["data"]
    assert form["external_ref"] == ["host-7"]
    assert answer.status_code == 303
    assert f"saved={found[0]['id']}" in answer.headers["location"]
    assert "saved as a draft" in text_of(after)
    assert (found[0]["is_test"], found[0]["external_ref"]) == (True, "host-7")


async def test_a_window_edits_its_campaign(api: ControlApi, owner: Person, key: MadeKey) -> None:
    campaign = await Customer(api, owner).make_campaign(key.property_id, environment="test")
    context = {"campaign_id": campaign["id"]}
    async with window_of(api, key.headers, component="campaign_edit", context=context) as window:
        page = await window.look(window.start)
        form = {name: values[-1] for name, values in sent_of(page, ".campaign-form").items()}

        answer = await window.send(window.start, **form | {"name": "Renamed"})

    now = (await api.http.get(f"/v1/campaigns/{campaign['id']}", headers=key.headers)).json()
    assert answer.status_code == 303
    assert now["name"] == "Renamed"


async def test_a_window_lists_campaigns_and_shows_one(
    api: ControlApi, owner: Person, key: MadeKey
) -> None:
    campaign = await Customer(api, owner).make_campaign(key.property_id, environment="test")
    async with window_of(api, key.headers, component="campaign_list") as window:
        page = await window.look(window.start)
        link = attribute(page, ".campaigns tbody th a", "href")
        own = await window.look(link)

    assert link.endswith(f"/campaigns/{campaign['id']}")
    assert campaign["name"] in text_of(own)
    assert own.css_first("#acts button") is None
