"""Settings → Keys: made for one property and environment, shown once, replaced and revoked with open eyes."""

from datetime import timedelta

from playwright.async_api import Browser
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.control.identity.members.people import a_member
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.forms import error_at, sent_of, the
from tests.support.resources import Customer
from tests.support.visitor import Visitor, text_of, visiting

_LINES = """(labels) => labels.map((label) => {
  const middle = (one) => { const { top, bottom } = one.getBoundingClientRect(); return (top + bottom) / 2; };
  const [words, middles] = [label.querySelector("span"), ["input", "span", "code"].map((one) => middle(label.querySelector(one)))];
  return {
    words: words.textContent,
    left: words.getBoundingClientRect().left,
    apart: Math.max(...middles) - Math.min(...middles),
  };
})"""  # noqa: E501 - JavaScript
"""Of each label; ``apart``: how far the middles of its box, its words and its code are, in CSS pixels."""


async def _make(visitor: Visitor, property_id: str, kind: str, **fields: str) -> str:
    answer = await visitor.send(
        "/live/keys/new", kind=kind, property_id=property_id, name="Server", **fields
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    node = LexborHTMLParser(answer.text).css_first("code.secret")
    assert node is not None
    return node.text()


async def test_a_secret_is_shown_once(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        secret = await _make(visitor, property_id, "secret")
        (key,) = (await api.http.get("/v1/sdk-keys", headers=person.headers)).json()["data"]
        assert secret.startswith("sk_live_")

        for path in (
            "/live/keys",
            f"/live/keys/sdk/{key['id']}",
            f"/live/properties/{property_id}",
        ):
            answer = await visitor.http.get(path)
            assert secret not in answer.text
            assert secret[-4:] in answer.text


async def test_a_publishable_key_can_be_looked_up_again(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        shown = await _make(visitor, property_id, "publishable")
        (key,) = (await api.http.get("/v1/sdk-keys", headers=person.headers)).json()["data"]

        page = await visitor.look(f"/live/keys/sdk/{key['id']}")

        assert shown in text_of(page)


async def test_the_environment_is_that_of_the_page(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        answer = await visitor.send(
            "/test/keys/new",
            kind="integration",
            property_id=property_id,
            name="Reports",
            scopes="reports:read",
            environment="live",
        )

        assert "ak_test_" in answer.text
        assert "Reports" not in text_of(await visitor.look("/live/keys?family=integration"))
        assert "reports:read" in text_of(await visitor.look("/test/keys?family=integration"))


async def test_a_key_without_scopes_shows_what_is_missing(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        answer = await visitor.send(
            "/live/keys/new", kind="integration", property_id=property_id, name="Reports"
        )

        assert answer.status_code == 422
        page = LexborHTMLParser(answer.text)
        assert error_at(page, "scopes")
        assert the(page, "[role=alert] a[href='#f-scopes']").text() == "Scopes"


async def test_before_a_key_is_replaced_its_calls_of_the_last_hour_are_shown(
    api: ControlApi,
) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, KeyKind.PUBLISHABLE, Environment.LIVE)
    now = api.control.clock.now()
    async with api.control.database.service() as session:
        for ago, count in ((timedelta(minutes=5), 1200), (timedelta(minutes=70), 7)):
            values = {"key": key.id, "at": now - ago, "account": person.account_id, "count": count}
            await session.execute(
                text("insert into key_minutes values (:key, :at, :account, :count)"), values
            )
    async with visiting(api, person) as visitor:
        page = await visitor.look(f"/live/keys/sdk/{key.id}")

        assert "Edges received 1,200 requests with it in the last hour." in text_of(page)


async def test_the_replacement_is_shown_and_the_old_key_is_over(api: ControlApi) -> None:
    person = await api.sign_up()
    old = await api.add_key(person, KeyKind.SECRET, Environment.LIVE)
    async with visiting(api, person) as visitor:
        answer = await visitor.send(f"/live/keys/sdk/{old.id}", act="rotate")

        assert answer.status_code == 200
        assert "sk_live_" in answer.text
        assert "Copy it before you leave this page." in answer.text
        assert "I have stored it" in answer.text
        assert "Revoked" in text_of(await visitor.look(f"/live/keys/sdk/{old.id}"))


async def test_a_form_sent_twice_makes_one_key(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        first = await _make(visitor, property_id, "secret", once="the-same")
        assert await _make(visitor, property_id, "secret", once="the-same") == first

        found = (await api.http.get("/v1/sdk-keys", headers=person.headers)).json()["data"]
        assert len(found) == 1


async def test_another_name_keeps_the_expiry_and_another_day_moves_it(api: ControlApi) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, KeyKind.SECRET, Environment.LIVE)
    customer = Customer(api, person)
    address = f"/v1/sdk-keys/{key.id}"
    day = (api.control.clock.now() + timedelta(days=30)).date()
    ends = f"{day}T08:00:00.000Z"
    changed = await customer.patch(address, 1, {"expires_at": ends})
    assert changed.json()["expires_at"] == ends
    async with visiting(api, person) as visitor:
        path = f"/live/keys/sdk/{key.id}"
        fields = sent_of(await visitor.look(path), "form[data-check]")
        await visitor.act(path, **fields | {"name": "Renamed"})
        renamed = (await customer.get(address)).json()

        fields = sent_of(await visitor.look(path), "form[data-check]")
        await visitor.act(path, **fields | {"expires_at": f"{day + timedelta(days=1)}"})
        moved = (await customer.get(address)).json()

        fields = sent_of(await visitor.look(path), "form[data-check]")
        await visitor.act(path, **fields | {"expires_at": ""})

    assert (renamed["name"], renamed["expires_at"]) == ("Renamed", ends)
    assert moved["expires_at"] == f"{day + timedelta(days=1)}T23:59:59.000Z"
    assert (await customer.get(address)).json()["expires_at"] is None


async def test_revoking_shows_a_confirmation(api: ControlApi) -> None:
    person = await api.sign_up()
    key = await api.add_key(person, KeyKind.INTEGRATION, Environment.LIVE)
    async with visiting(api, person) as visitor:
        page = await visitor.act(f"/live/keys/integration/{key.id}", act="revoke")

        assert "The key is revoked" in text_of(page)
        assert "Rotate or revoke" not in text_of(page)


async def test_a_key_shows_its_creator(api: ControlApi) -> None:
    owner = await api.sign_up()
    key = await api.add_key(owner, KeyKind.SECRET, Environment.LIVE)
    _, analyst = await a_member(api, owner, "analyst")
    async with visiting(api, analyst) as visitor:
        assert "Acme Media" in text_of(await visitor.look("/live/keys"))
        assert "Created by Acme Media" in text_of(await visitor.look(f"/live/keys/sdk/{key.id}"))


async def test_a_key_of_another_account_is_not_found(api: ControlApi) -> None:
    theirs = await api.add_key(await api.sign_up(), KeyKind.SECRET, Environment.LIVE)
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look(f"/live/keys/sdk/{theirs.id}", status=404)
        assert "It does not exist, or you may not see it." in text_of(page)
        assert (await visitor.send(f"/live/keys/sdk/{theirs.id}", act="revoke")).status_code == 404


async def test_input_is_validated_without_creating_a_key(api: ControlApi) -> None:
    person = await api.sign_up()
    property_id = await api.add_property(person)
    async with visiting(api, person) as visitor:
        form = {"kind": "secret", "property_id": property_id, "name": "Server"}
        headers = {"Sec-Fetch-Site": "same-origin", "Placard-Check": "1"}

        answer = await visitor.http.post("/live/keys/new", data=form, headers=headers)

        assert answer.status_code == 200
        found = (await api.http.get("/v1/sdk-keys", headers=person.headers)).json()["data"]
        assert found == []


async def test_each_scope_stands_on_a_line_with_its_box(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    await api.add_property(person)
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/test/keys/new?kind=integration")
        lines = await seen.page.locator("#f-scopes label").evaluate_all(_LINES)

    assert len(lines) == 8
    assert [one["words"] for one in lines if not one["words"][:1].isupper()] == []
    assert {one["left"] for one in lines} == {lines[0]["left"]}
    assert max(one["apart"] for one in lines) < 4
