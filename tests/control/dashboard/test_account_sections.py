"""The account's pages: members, settings and switch, moving between accounts, suspension, the audit log, money."""

from collections.abc import AsyncIterator

import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from control.api.operator_action import operator_action
from control.billing.wallet import operator_actions
from control.dashboard.audit_log.audit_messages import PHRASES
from control.processes.app import ENDPOINTS
from tests.control.identity.members.people import a_member, an_email, invite, token_sent_to
from tests.support.control_api import PASSWORD, ControlApi, Person
from tests.support.http_client import http_client
from tests.support.money import bill_last_month, earn
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting


@pytest.fixture
async def visitor(api: ControlApi) -> AsyncIterator[Visitor]:
    """The owner of an account."""
    async with visiting(api, await api.sign_up()) as visitor:
        yield visitor


def _value(page: LexborHTMLParser, selector: str) -> str:
    found = page.css_first(selector)
    assert found is not None, page.html
    return str(found.attributes["value"])


async def test_an_invitation_is_sent_and_revoked(visitor: Visitor) -> None:
    email = an_email()
    page = await visitor.act("/members", email=email, role="analyst")
    assert email in text_of(page)

    invited = page.css_first("tbody th a")
    assert invited is not None
    gone = await visitor.act(str(invited.attributes["href"]), act="remove")

    assert email not in text_of(gone)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "This address received 3 mails in the last 24 hours"),
        ("pt-BR", "Este e-mail recebeu 3 mensagens nas últimas 24 horas"),
    ],
)
async def test_inviting_an_address_over_its_mail_limit_shows_an_error(
    api: ControlApi, visitor: Visitor, language: str, words: str
) -> None:
    email = an_email()
    for _ in range(3):
        await invite(api, await api.sign_up(), "analyst", email)

    refused = await visitor.http.post(
        "/members",
        data={"email": email, "role": "analyst"},
        headers=FROM_OUR_PAGE | {"Accept-Language": language},
    )

    assert refused.status_code == 429
    page = text_of(LexborHTMLParser(refused.text))
    assert words in page
    assert "24 h" in page


async def test_a_role_is_changed(api: ControlApi, visitor: Visitor) -> None:
    member_id, _ = await a_member(api, visitor.person, "analyst")

    page = await visitor.act(f"/members/{member_id}", act="role", version="2", role="manager")

    assert "The role is changed" in text_of(page)
    assert "Manager" in {cell.text(strip=True) for cell in page.css("tbody td")}


async def test_an_old_page_changes_no_role(api: ControlApi, visitor: Visitor) -> None:
    member_id, _ = await a_member(api, visitor.person, "analyst")

    answer = await visitor.send(f"/members/{member_id}", act="role", version="1", role="manager")

    assert answer.status_code == 412


async def test_the_last_owner_cannot_leave(visitor: Visitor) -> None:
    answer = await visitor.send("/leave")

    assert answer.status_code == 409
    assert "Make another member an owner first" in answer.text


async def test_a_user_without_permission_sees_no_link_to_members(
    api: ControlApi, visitor: Visitor
) -> None:
    _, finance = await a_member(api, visitor.person, "finance")
    async with visiting(api, finance) as other:
        page = await other.look("/wallet")
        links = {link.attributes["href"] for link in page.css("nav a")}
        assert "/members" not in links
        assert "/billing" in links
        await other.look("/members", status=403)


async def test_all_live_serving_is_stopped_and_resumed(visitor: Visitor) -> None:
    stopped = await visitor.act("/account", act="stop")
    assert "All live serving is stopped." in text_of(stopped)

    resumed = await visitor.act("/account", act="resume")

    assert "Live ads are served" in text_of(resumed)


async def test_an_account_is_closed_by_a_password_only(visitor: Visitor) -> None:
    refused = await visitor.send("/account", act="close", close_password="not this one")
    assert refused.status_code == 400

    closed = await visitor.act("/account", act="close", close_password=PASSWORD)

    assert "The account is closed permanently." in text_of(closed)


async def test_a_signed_in_user_who_accepts_an_invitation_continues_in_that_account(
    api: ControlApi, visitor: Visitor
) -> None:
    host = await api.sign_up("Host Media")
    await invite(api, host, "analyst", visitor.person.email)
    token = await token_sent_to(api, visitor.person.email)
    page = await visitor.look(f"/accept-invitation?token={token}")
    assert not page.css('input[type="password"]')

    there = await visitor.act("/accept-invitation", token=token)

    assert "Host Media" in (there.html or "")


async def _two_accounts(api: ControlApi, visitor: Visitor) -> Person:
    """Another account that the visitor is an analyst of: its owner."""
    host = await api.sign_up("Host Media")
    await invite(api, host, "analyst", visitor.person.email)
    token = await token_sent_to(api, visitor.person.email)
    body = {"token": token, "password": PASSWORD}
    assert (await api.http.post("/v1/invitations/accept", json=body)).status_code == 201
    return host


async def test_a_person_moves_between_their_accounts(api: ControlApi, visitor: Visitor) -> None:
    host = await _two_accounts(api, visitor)
    old = visitor.http.cookies["placard_session"]

    page = await visitor.act("/accounts", account_id=host.account_id)

    assert "Host Media" in (page.html or "")
    with_old = await api.http.get("/live", headers={"Cookie": f"placard_session={old}"})
    assert with_old.headers["location"].startswith("/sign-in")


async def test_switching_accounts_does_not_extend_the_session(
    api: ControlApi, visitor: Visitor
) -> None:
    host = await _two_accounts(api, visitor)
    began = text("select max(created_at) from sessions where user_id = :id")
    who = {"id": visitor.person.user_id}
    async with api.control.database.service() as session:
        before = await session.scalar(began, who)

    await visitor.act("/accounts", account_id=host.account_id)

    async with api.control.database.service() as session:
        assert await session.scalar(began, who) == before


async def test_nobody_can_switch_to_an_account_of_others(api: ControlApi, visitor: Visitor) -> None:
    outsider = await api.sign_up()

    answer = await visitor.send("/accounts", account_id=outsider.account_id)

    assert answer.status_code == 404
    assert "set-cookie" not in answer.headers


async def _suspend(api: ControlApi, person: Person) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "update accounts set state = 'suspended', state_reason = 'payment_failed' "
                "where id = :id"
            ),
            {"id": person.account_id},
        )


async def test_a_suspended_account_shows_the_reason_and_the_open_invoices(
    api: ControlApi, visitor: Visitor
) -> None:
    invoice = await bill_last_month(api.control, visitor.person.account_id, 12_345)
    await _suspend(api, visitor.person)

    page = await visitor.look("/live")

    assert "was not paid in time" in text_of(page)
    assert [cell.text() for cell in page.css("tbody code")] == [invoice.id]
    assert "-" not in page.css("tbody th")[0].text(), "a month has its name"
    assert "$123.45" in text_of(page)


async def test_a_suspended_account_without_open_invoices_shows_that(
    api: ControlApi, visitor: Visitor
) -> None:
    await _suspend(api, visitor.person)

    page = await visitor.look("/live")

    assert "No invoices are open." in text_of(page)
    assert page.css_first("table") is None


async def test_a_refusal_names_the_role_and_no_permission_of_the_api(
    api: ControlApi, visitor: Visitor
) -> None:
    await _set_role(api, visitor.person, "analyst")

    answer = await visitor.http.get("/live/campaigns/new")
    page = LexborHTMLParser(answer.text)

    assert answer.status_code == 403
    assert "Your role (analyst) cannot do this. Ask an owner of the account." in text_of(page)


async def test_the_owner_of_a_suspended_account_tops_up(api: ControlApi, visitor: Visitor) -> None:
    await _suspend(api, visitor.person)

    page = text_of(await visitor.act("/suspended", act="top_up", amount_cents="50"))
    wrong = await visitor.send("/suspended", act="top_up", amount_cents="0")

    assert "Waiting for your payment of $50.00" in page
    assert "does not lift the suspension by itself." in page
    assert wrong.status_code == 422


async def test_the_owner_of_a_suspended_account_cancels_a_top_up(
    api: ControlApi, visitor: Visitor
) -> None:
    await _suspend(api, visitor.person)
    asked = await visitor.act("/suspended", act="top_up", amount_cents="50")
    top_up = _value(asked, 'input[name="act"][value="cancel"] + input[name="id"]')

    page = text_of(await visitor.act("/suspended", act="cancel", id=top_up))

    assert "The top-up is cancelled." in page
    assert "Waiting for your payment" not in page


async def test_nobody_tops_up_a_closed_account_or_without_the_right(
    api: ControlApi, visitor: Visitor
) -> None:
    await _suspend(api, visitor.person)
    await _set_role(api, visitor.person, "manager")
    by_manager = await visitor.send("/suspended", act="top_up", amount_cents="50")
    await _set_role(api, visitor.person, "owner")
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set state_reason = 'closed' where id = :id"),
            {"id": visitor.person.account_id},
        )
    after_closing = await visitor.send("/suspended", act="top_up", amount_cents="50")
    closed = text_of(await visitor.look("/suspended"))

    assert by_manager.status_code == 403
    assert after_closing.status_code == 404
    assert closed.startswith("Acme Media is closed")


async def _set_role(api: ControlApi, person: Person, role: str) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = :role where user_id = :id"),
            {"id": person.user_id, "role": role},
        )


async def test_signing_in_to_a_suspended_account_shows_the_reason(
    api: ControlApi, visitor: Visitor
) -> None:
    await _suspend(api, visitor.person)
    async with http_client(
        base_url=api.http.base_url, headers=FROM_OUR_PAGE, follow_redirects=True
    ) as browser:
        form = {"email": visitor.person.email, "password": PASSWORD}
        page = await browser.post("/sign-in", data=form)
        assert page.url.path == "/suspended"
        assert "was not paid in time" in page.text

        out = await browser.post("/suspended", data={"act": "sign_out"})

        assert "You are signed out" in out.text


async def test_a_user_can_switch_from_a_suspended_account_to_another(
    api: ControlApi, visitor: Visitor
) -> None:
    host = await _two_accounts(api, visitor)
    await _suspend(api, visitor.person)
    assert "Host Media" in text_of(await visitor.look("/live"))

    page = await visitor.act("/suspended", account_id=host.account_id)

    assert "Host Media" in (page.html or "")
    assert page.css_first("nav a[href='/accounts'], .account-name") is not None


def test_every_audited_action_reads_as_a_sentence() -> None:
    acts_ = {
        endpoint.operation.id
        for endpoint in ENDPOINTS
        if endpoint.operation.auth
        and endpoint.operation.method != "GET"
        and not endpoint.operation.reads
    }

    assert acts_ - set(PHRASES) == set()


async def test_a_top_up_shows_how_to_pay_and_counts_once_confirmed(
    api: ControlApi, visitor: Visitor
) -> None:
    page = await visitor.act("/wallet", amount_cents="1.234,50")
    assert "Waiting for your payment of $1,234.50" in text_of(page)

    top_up = (await Customer(api, visitor.person).get("/v1/wallet/top-ups")).json()["data"][0]
    reference = top_up["provider_reference"]
    assert f"to the operator of this service, with the reference {reference}." in text_of(page)
    assert "Ask the operator for the bank account" in text_of(page)
    async with operator_action(api.control) as act:
        await operator_actions.confirm_top_up(act, top_up["id"])
    after = text_of(await visitor.look("/wallet"))

    assert "Balance $1,234.50" in after
    assert "Waiting for your payment" not in after


async def test_a_top_up_sent_twice_is_requested_once(api: ControlApi, visitor: Visitor) -> None:
    once = _value(await visitor.look("/wallet"), 'input[name="once"]')
    for _ in range(2):
        await visitor.act("/wallet", amount_cents="50", once=once)

    listed = (await Customer(api, visitor.person).get("/v1/wallet/top-ups")).json()["data"]

    assert len(listed) == 1


async def test_a_pending_top_up_is_cancelled_by_a_button(visitor: Visitor) -> None:
    asked = await visitor.act("/wallet", amount_cents="50")
    top_up = _value(asked, 'input[name="act"][value="cancel"] + input[name="id"]')

    page = text_of(await visitor.act("/wallet", act="cancel", id=top_up))

    assert "The top-up is cancelled." in page
    assert "Waiting for your payment" not in page


async def test_an_invoice_is_read_line_by_line(api: ControlApi, visitor: Visitor) -> None:
    invoice = await bill_last_month(api.control, visitor.person.account_id, 2_000)

    listed = await visitor.look("/billing")
    assert "$20.00" in text_of(listed)
    page = text_of(await visitor.look(f"/billing/invoices/{invoice.id}"))

    assert "Corrections" in page
    assert "Amount due $20.00" in page


async def test_a_payout_of_the_earnings_of_a_property_is_requested(
    api: ControlApi, visitor: Visitor
) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_property(name="Daily")
    campaign = (await customer.make_campaign(site["id"]))["id"]
    await earn(api.control, visitor.person.account_id, campaign, site["id"], 5_000_000)

    page = await visitor.act("/payouts", property_id=site["id"], amount_cents="")

    assert "Daily" in text_of(page)
    assert "$5.00" in text_of(page)
    assert "Requested" in text_of(page)
    too_much = await visitor.send("/payouts", property_id=site["id"], amount_cents="9")
    assert too_much.status_code in (402, 409, 422)
