"""What an open window may do: what its key could, and what its component is for."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from common.contract.permissions import Permission
from control.dashboard.embed_sessions.components import Component
from control.dashboard.embed_sessions.queries import sweep_embed_sessions
from tests.support.control_api import ControlApi, MadeKey, Person, bearer, code_of
from tests.support.embedding import EmbeddedWindow, window_of
from tests.support.http_client import http_client
from tests.support.moved_clock import MovedClock
from tests.support.resources import Customer

_BANNER = {
    "format": "banner",
    "name": "From a window",
    "content__image_url": "https://cdn.example.com/a.png",
    "content__width": "300",
    "content__height": "250",
}


@pytest.fixture
async def site(api: ControlApi, owner: Person) -> str:
    return await api.add_property(owner)


@pytest.fixture
async def key(api: ControlApi, owner: Person, site: str) -> MadeKey:
    return await api.add_key(owner, property_id=site)


@pytest.fixture
async def window(api: ControlApi, key: MadeKey) -> AsyncIterator[EmbeddedWindow]:
    async with window_of(api, key.headers) as opened:
        yield opened


async def test_a_window_shows_the_screen_of_its_component(window: EmbeddedWindow) -> None:
    page = await window.look(window.start)

    heading = page.css_first("h1")
    assert heading is not None
    assert heading.text() == "New ad"
    links = [link.attributes["href"] or "" for link in page.css("main a")]
    assert links
    assert all(link.startswith("/embed/s/test/") for link in links)


@pytest.mark.parametrize("component", Component)
async def test_every_component_starts_with_a_whole_page_of_its_own_links(
    api: ControlApi, owner: Person, site: str, key: MadeKey, component: Component
) -> None:
    await Customer(api, owner).make_campaign(site, "test")
    async with window_of(api, key.headers, component=component.value) as window:
        page = await window.look(window.start)
        for link in page.css("main a[href^='/']"):
            followed = await window.get(link.attributes["href"] or "")
            assert followed.status_code == 200, link.html

    assert len(page.css("h1")) == 1


@pytest.mark.parametrize(
    "path", ["/embed/s/test/review", "/embed/s/test/assets", "/embed/s/test", "/embed/s/sign-in"]
)
async def test_a_window_shows_no_other_screen(window: EmbeddedWindow, path: str) -> None:
    assert (await window.get(path)).status_code == 404


async def test_a_window_shows_the_environment_of_its_key(window: EmbeddedWindow) -> None:
    assert (await window.get("/embed/s/live/ads/new")).status_code == 404


async def test_a_test_keys_window_writes_test_objects(
    api: ControlApi, owner: Person, site: str, window: EmbeddedWindow
) -> None:
    campaign = await Customer(api, owner).make_campaign(site, "test")

    sent = await window.send(window.start, campaign_id=campaign["id"], **_BANNER)

    assert sent.status_code == 303, sent.text
    assert sent.headers["location"].endswith(f"flash=ad_created&saved={campaign['id']}")
    ads = await api.http.get(
        "/v1/ads",
        params={"environment": "test", "campaign_id": campaign["id"]},
        headers=owner.headers,
    )
    assert [(ad["name"], ad["is_test"]) for ad in ads.json()["data"]] == [("From a window", True)]


async def test_a_test_keys_window_does_not_reach_live_campaigns(
    api: ControlApi, owner: Person, site: str, window: EmbeddedWindow
) -> None:
    campaign = await Customer(api, owner).make_campaign(site, "live")

    sent = await window.send(window.start, campaign_id=campaign["id"], **_BANNER)

    assert sent.status_code == 404


async def test_a_window_to_edit_a_campaign_reaches_no_other(
    api: ControlApi, owner: Person, site: str, key: MadeKey
) -> None:
    customer = Customer(api, owner)
    own = await customer.make_campaign(site, "test")
    other = await customer.make_campaign(site, "test")
    context = {"campaign_id": own["id"]}
    async with window_of(api, key.headers, component="campaign_edit", context=context) as window:
        assert (await window.get(window.start)).status_code == 200
        elsewhere = window.start.replace(own["id"], other["id"])
        assert (await window.get(elsewhere)).status_code == 404
        assert (await window.send(elsewhere, name="Mine")).status_code == 404


async def test_a_window_for_one_campaign_makes_ads_for_no_other(
    api: ControlApi, owner: Person, site: str, key: MadeKey
) -> None:
    customer = Customer(api, owner)
    own = await customer.make_campaign(site, "test")
    other = await customer.make_campaign(site, "test")
    foreign_ad = await customer.make_ad(other["id"], "test")
    context = {"campaign_id": own["id"]}
    async with window_of(api, key.headers, context=context) as window:
        sent = await window.send(window.start, campaign_id=other["id"], **_BANNER)
        looked = await window.get(f"/embed/s/test/ads/{foreign_ad['id']}")

    assert sent.status_code == 303, sent.text
    assert f"saved={own['id']}" in sent.headers["location"]
    assert looked.status_code == 404


async def test_a_window_has_no_more_permissions_than_the_scopes_of_its_key(
    api: ControlApi, owner: Person, site: str
) -> None:
    key = await api.add_key(owner, property_id=site, scopes=(Permission.AD_WRITE,))
    campaign = await Customer(api, owner).make_campaign(site, "test")
    async with window_of(api, key.headers) as window:
        page = await window.look("/embed/s/test/ads/new?format=banner")
        assert page.css_first("input[name=campaign_id]") is not None, "no list of campaigns"
        made = await window.send(window.start, campaign_id=campaign["id"], **_BANNER)
        looked = await window.get(made.headers["location"])

    assert looked.status_code == 403
    assert "ad:read" in looked.text


async def test_revoking_the_key_ends_an_open_window_at_its_next_call(
    api: ControlApi, owner: Person, key: MadeKey, window: EmbeddedWindow
) -> None:
    await window.look(window.start)
    revoked = await api.http.post(f"/v1/integration-keys/{key.id}/revoke", headers=owner.headers)
    assert revoked.status_code == 200

    answer = await window.get(window.start)

    assert answer.status_code == 403
    assert code_of(answer) == "key_revoked"
    assert "The application that opened this window" in answer.json()["error"]["message"]


async def test_a_creator_who_lost_the_permission_loses_it_in_open_windows(
    api: ControlApi, owner: Person, window: EmbeddedWindow
) -> None:
    async def be(role: str) -> None:
        async with api.control.database.service() as session:
            connection = await session.connection()
            await connection.exec_driver_sql(
                "update memberships set role = $1 where user_id = $2", (role, owner.user_id)
            )

    await be("analyst")
    answer = await window.get(window.start)
    await be("owner")

    assert answer.status_code == 403
    assert "no longer has that permission" in answer.text


async def test_after_half_an_hour_the_window_has_ended(
    window: EmbeddedWindow, clock: MovedClock
) -> None:
    clock.advance(timedelta(minutes=29))
    await window.look(window.start)
    clock.advance(timedelta(minutes=1))

    answer = await window.get(window.start)

    assert answer.status_code == 410
    assert code_of(answer) == "token_expired"


async def test_the_token_of_a_window_is_not_an_api_key(
    api: ControlApi, window: EmbeddedWindow
) -> None:
    answer = await api.http.get("/v1/me", headers=bearer(window.bearer))

    assert answer.status_code == 401


async def test_a_cookie_opens_no_window(api: ControlApi, owner: Person) -> None:
    async with http_client(base_url=api.http.base_url) as http:
        signed_in = await http.post(
            "/sign-in",
            data={"email": owner.email, "password": "correct horse battery"},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        assert signed_in.status_code == 303
        answer = await http.get("/embed/s/live/ads/new")

    assert answer.status_code == 410


async def test_a_key_itself_opens_no_window(api: ControlApi, key: MadeKey) -> None:
    answer = await api.http.get("/embed/s/test/ads/new", headers=key.headers)

    assert answer.status_code == 410


async def test_sessions_that_ended_a_day_ago_are_deleted(
    api: ControlApi, key: MadeKey, clock: MovedClock
) -> None:
    async with window_of(api, key.headers):
        pass
    clock.advance(timedelta(hours=25))
    await sweep_embed_sessions(api.control)

    async with api.control.database.service() as session:
        connection = await session.connection()
        left = (await connection.exec_driver_sql("select count(*) from embed_sessions")).scalar()
    assert left == 0
