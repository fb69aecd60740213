"""The pages on which people help themselves: their data, their mails, the account's last export, privacy requests."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

import orjson
import pytest
from playwright.async_api import Browser
from selectolax.lexbor import LexborHTMLParser

from control.identity.privacy_requests.jobs import answer_privacy_requests
from tests.control.identity.members.people import a_member, an_email
from tests.support.browser import opened, sign_in
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.forms import attribute, error_at, sent_of, the
from tests.support.http_client import http_client
from tests.support.money import earn
from tests.support.moved_clock import MovedClock
from tests.support.resources import Customer
from tests.support.second_factor import enrol
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting


async def test_own_data_is_downloaded_with_the_password(visitor: Visitor) -> None:
    answer = await visitor.send("/profile/data", act="export", export_password=PASSWORD)

    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.json()["user"]["email"] == visitor.person.email


async def test_a_wrong_password_is_shown_on_the_page_and_nothing_is_downloaded(
    visitor: Visitor,
) -> None:
    answer = await visitor.send("/profile/data", act="export", export_password="not this one")

    assert answer.status_code == 400
    page = LexborHTMLParser(answer.text)
    assert "This is not your password" in error_at(page, "export_password")
    assert error_at(page, "password") == ""
    assert not page.css_matches("details.confirm[open]")


async def test_a_member_deletes_their_user_and_is_signed_out(
    api: ControlApi, visitor: Visitor
) -> None:
    _, member = await a_member(api, visitor.person, "analyst")
    async with visiting(api, member) as leaver:
        page = await leaver.act("/profile/data", act="delete", password=PASSWORD)

        assert "Your user is deleted" in text_of(page)
        assert (await leaver.http.get("/live")).headers["location"].startswith("/sign-in")


@pytest.mark.parametrize(
    ("path", "act", "field", "other"),
    [
        ("/profile/data", "delete", "password", "export_password"),
        ("/account", "close", "close_password", "password"),
        ("/account", "export", "password", "close_password"),
    ],
)
@pytest.mark.parametrize("typed", ["not this one", ""])
async def test_a_wrong_password_is_shown_at_its_own_field(  # noqa: PLR0917 - a row's columns
    visitor: Visitor, path: str, act: str, field: str, other: str, typed: str
) -> None:
    answer = await visitor.send(path, act=act, **{field: typed})

    assert answer.status_code in {400, 422}
    page = LexborHTMLParser(answer.text)
    assert error_at(page, field) != ""
    assert attribute(page, f"input[name={field}]", "aria-invalid") == "true"
    assert error_at(page, other) == ""
    folded = page.css("details.confirm")
    opened = [one for one in folded if "open" in one.attributes]
    assert [bool(one.css(f"input[name={field}]")) for one in opened] == (
        [True] if act != "export" else []
    )


async def test_the_only_owner_is_told_what_to_do_first(visitor: Visitor) -> None:
    answer = await visitor.send("/profile/data", act="delete", password=PASSWORD)

    assert answer.status_code == 409
    page = LexborHTMLParser(answer.text)
    assert "You are the only owner of Acme Media" in text_of(page)
    assert page.css_matches("details.confirm[open] [name=close_accounts]")


async def test_the_only_owner_closes_the_account_with_their_user(visitor: Visitor) -> None:
    form = {"act": "delete", "password": PASSWORD, "close_accounts": "on"}

    assert "Your user is deleted" in text_of(await visitor.act("/profile/data", **form))


async def test_who_closed_their_account_exports_and_deletes_themselves(
    api: ControlApi, visitor: Visitor
) -> None:
    await Customer(api, visitor.person).post("/v1/account/close", {"password": PASSWORD})
    async with http_client(
        base_url=api.http.base_url, headers=FROM_OUR_PAGE, follow_redirects=True
    ) as browser:
        form = {"email": visitor.person.email, "password": PASSWORD}
        page = await browser.post("/sign-in", data=form)
        export = await browser.post(
            "/suspended", data={"act": "export", "export_password": PASSWORD}
        )
        wrong = await browser.post("/suspended", data={"act": "delete", "password": "a guess"})
        deleted = await browser.post("/suspended", data={"act": "delete", "password": PASSWORD})

    assert "Delete your user" in page.text
    assert export.json()["user"]["email"] == visitor.person.email
    assert (wrong.status_code, wrong.url.path) == (400, "/suspended")
    assert "Your user is deleted" in deleted.text
    assert code_of(await api.sign_in(visitor.person.email)) == "invalid_grant"


async def _without_account(api: ControlApi, owner: Person) -> Person:
    member_id, person = await a_member(api, owner, "analyst")
    await api.http.delete(f"/v1/members/{member_id}", headers=owner.headers)
    return person


def _ticket_of(page: LexborHTMLParser, act: str) -> str:
    form = next(one for one in page.css("form") if one.css_matches(f'[name=act][value="{act}"]'))
    return attribute(form, "[name=ticket]", "value")


@pytest.mark.parametrize("with_factor", [False, True])
async def test_a_user_without_an_account_exports_their_data_and_deletes_themselves(
    api: ControlApi, visitor: Visitor, *, with_factor: bool
) -> None:
    member_id, person = await a_member(api, visitor.person, "analyst")
    enrolled = await enrol(api, person) if with_factor else None
    await api.http.delete(f"/v1/members/{member_id}", headers=visitor.person.headers)
    async with http_client(
        base_url=api.http.base_url, headers=FROM_OUR_PAGE, follow_redirects=True
    ) as browser:
        form = {"email": person.email, "password": PASSWORD}
        page = LexborHTMLParser((await browser.post("/sign-in", data=form)).text)
        if enrolled is not None:
            form = {"act": "code", "ticket": _ticket_of(page, "code"), "otp": enrolled.app.code()}
            page = LexborHTMLParser((await browser.post("/sign-in", data=form)).text)
        ticket = _ticket_of(page, "export")
        form = {"act": "export", "ticket": ticket, "export_password": PASSWORD}
        export = await browser.post("/sign-in/data", data=form)
        wrong = await browser.post(
            "/sign-in/data", data={"act": "delete", "ticket": ticket, "password": "a guess"}
        )
        form = {"act": "delete", "password": PASSWORD}
        form["ticket"] = _ticket_of(LexborHTMLParser(wrong.text), "delete")
        deleted = await browser.post("/sign-in/data", data=form)
        again = await browser.post("/sign-in/data", data=form)

    assert "You are a member of no account" in text_of(page)
    assert export.json()["user"]["email"] == person.email
    assert error_at(LexborHTMLParser(wrong.text), "password") != ""
    assert "Your user is deleted" in deleted.text
    assert again.status_code == 400
    assert code_of(await api.sign_in(person.email)) == "invalid_grant"


async def test_the_page_of_a_user_without_an_account_needs_its_ticket(
    api: ControlApi, visitor: Visitor, clock: MovedClock
) -> None:
    person = await _without_account(api, visitor.person)
    async with http_client(base_url=api.http.base_url, headers=FROM_OUR_PAGE) as browser:
        shown = await browser.get("/sign-in/data")
        form = {"email": person.email, "password": PASSWORD}
        page = LexborHTMLParser((await browser.post("/sign-in", data=form)).text)
        ticket = _ticket_of(page, "export")
        clock.advance(timedelta(minutes=11))
        late, forged = [
            await browser.post(
                "/sign-in/data", data={"act": "delete", "ticket": one, "password": PASSWORD}
            )
            for one in (ticket, "nonsense")
        ]

    assert (shown.status_code, shown.headers["location"]) == (303, "/sign-in")
    assert (late.status_code, forged.status_code) == (400, 400)
    assert "The sign-in took too long" in late.text


async def test_own_data_of_a_suspended_account_is_for_those_who_are_signed_in(
    api: ControlApi, visitor: Visitor
) -> None:
    """The session of an account that is not suspended is for other pages."""
    for act in ("export", "delete"):
        answer = await visitor.send("/suspended", act=act, password=PASSWORD)

        assert answer.status_code == 303
    assert (await api.sign_in(visitor.person.email)).status_code == 200


@pytest.mark.parametrize("chosen", ["on", "monthly", "off"])
async def test_how_often_a_reminder_is_mailed_is_saved(visitor: Visitor, chosen: str) -> None:
    await visitor.act("/profile/data", act="mails", mail__keys_to_rotate="off")

    page = await visitor.act("/profile/data", act="mails", mail__keys_to_rotate=chosen)

    form = sent_of(page, "#mails form")
    assert form["mail.keys_to_rotate"] == [chosen]
    assert form["mail.verification_failing"] == ["on"]


async def test_a_choice_of_mails_that_the_role_does_not_receive_is_kept(
    api: ControlApi, visitor: Visitor
) -> None:
    choices = {"off": ["verification_failing"], "monthly": ["keys_to_rotate"]}
    _, admin = await a_member(api, visitor.person, "admin")
    await api.http.patch("/v1/me/mails", json=choices, headers=admin.headers)
    async with visiting(api, admin) as reader:
        page = await reader.act("/profile/data", act="mails", mail__keys_to_rotate="monthly")

    assert "mail.verification_failing" not in sent_of(page, "#mails form")
    kept = await api.http.get("/v1/me/mails", headers=admin.headers)
    assert kept.json() == choices


async def test_mails_that_are_always_sent_state_why(visitor: Visitor) -> None:
    rows = (await visitor.look("/profile/data")).css("#mails tbody tr")
    always = [one for one in rows if one.css_first("select") is None]

    assert len(always) == 5
    assert all(the(one, "td small").text(strip=True) for one in always)


async def test_an_owner_downloads_everything_before_closing(
    api: ControlApi, visitor: Visitor
) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_site()
    campaign = await customer.make_campaign(site, "live")
    key = await customer.make_sdk_key(site)
    other = await api.sign_up("Somebody else")

    answer = await visitor.send("/account", act="export", password=PASSWORD)
    rows = [orjson.loads(line) for line in answer.text.splitlines()]

    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    ids = {(one["type"], one["row"].get("id")) for one in rows}
    assert {("campaigns", campaign["id"]), ("properties", site), ("keys", key["id"])} <= ids
    assert [one["row"]["id"] for one in rows if one["type"] == "accounts"] == [
        visitor.person.account_id
    ]
    assert [one["row"]["email"] for one in rows if one["type"] == "users"] == [visitor.person.email]
    assert other.account_id not in answer.text
    assert key["key"] not in answer.text


async def test_the_last_export_is_complete(api: ControlApi, visitor: Visitor) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_site()
    campaign = await customer.make_campaign(site, "live")
    await earn(api.control, visitor.person.account_id, campaign["id"], site, 1000)
    invited = (await customer.post("/v1/members", {"email": an_email(), "role": "analyst"})).json()
    views = [
        await customer.post(
            "/v1/reports/views?environment=live",
            {"name": name, "question": {"range": "7d"}, "is_shared": name == "Ours"},
        )
        for name in ("Ours", "Mine")
    ]

    answer = await visitor.send("/account", act="export", password=PASSWORD)
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in answer.text.splitlines():
        one = orjson.loads(line)
        found[one["type"]].append(one["row"])

    kinds = {one["id"]: one["kind"] for one in found["ledger_accounts"]}
    posted = {kinds[one["ledger_account_id"]]: one["micros"] for one in found["ledger_postings"]}
    assert posted == {"wallet": -2000, "revenue": 1000, "payable": 1000}
    assert [one["email"] for one in found["invitations"]] == [invited["email"]]
    assert "token_hash" not in found["invitations"][0]
    assert [one["id"] for one in found["report_views"]] == [views[0].json()["id"]]
    assert [(one["campaign_id"], one["micros"]) for one in found["spend_months"]] == [
        (campaign["id"], 2000)
    ]


async def test_only_an_owner_with_the_password_exports_the_account(
    api: ControlApi, visitor: Visitor
) -> None:
    _, admin = await a_member(api, visitor.person, "admin")
    async with visiting(api, admin) as other:
        refused = await other.send("/account", act="export", password=PASSWORD)
    wrong = await visitor.send("/account", act="export", password="not this one")

    assert refused.status_code == 403
    assert wrong.status_code == 400


async def test_a_privacy_request_is_made_and_its_result_is_read(
    api: ControlApi, visitor: Visitor
) -> None:
    made = await visitor.act("/privacy", uid="reader-4711", kind="export")
    assert "In progress" in text_of(made)

    await answer_privacy_requests(api.control)
    listed = await visitor.look("/privacy")
    link = listed.css_first("tbody th a")
    assert link is not None
    page = await visitor.look(str(link.attributes["href"]))

    assert "Every table that has the visitor's uid." in text_of(page)
    assert "0 records found." in text_of(page)
    assert "Nothing is stored about this uid." in text_of(page)
    fresh = page.css_first("#result .chip")  # while it is in progress, this part is asked for again
    assert fresh is not None
    assert fresh.text() == "Done"


async def test_waiting_reviews_are_counted_in_the_navigation(
    api: ControlApi, visitor: Visitor
) -> None:
    customer = Customer(api, visitor.person)
    assert (await visitor.look("/live")).css_first(".nav .count") is None
    campaign = await customer.make_campaign(await customer.make_site(), "live")
    await customer.execute(
        "update campaigns set status = 'pending_review' where id = :id", id=campaign["id"]
    )

    count = (await visitor.look("/live/properties")).css_first(".nav .count")
    assert count is not None
    assert count.text(strip=True).startswith("1")
    assert (await visitor.look("/test/properties")).css_first(".nav .count") is None


async def test_a_download_is_not_announced_as_a_page_that_loads(
    api: ControlApi, visitor: Visitor, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, accept_downloads=True) as seen:
        await sign_in(seen, base_url, visitor.person)
        await seen.page.clock.install()
        await seen.page.goto(f"{base_url}/profile/data")
        await seen.page.locator("[name=export_password]").fill(PASSWORD)
        async with seen.page.expect_download():
            await seen.page.get_by_role("button", name="Export my data").click()
        await seen.page.clock.run_for(1_000)

        assert await seen.page.locator(".loading").count() == 0
        seen.check()
