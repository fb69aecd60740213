"""Who may change whom a property pays, and how owners find out."""

from tests.control.identity.members.people import a_member, invite
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.mailbox import mails_to, text_of
from tests.support.resources import Customer

TERMS = {"payee": "DE89 3704 0044", "share_percent": 60}


async def test_payout_terms_need_billing_write(api: ControlApi, owner: Person) -> None:
    site = await Customer(api, owner).make_property()
    _, manager = await a_member(api, owner, "manager")
    as_manager = Customer(api, manager)
    path = f"/v1/properties/{site['id']}"
    refused = await as_manager.patch(path, 1, {"name": "Mine", "payout": TERMS})
    body = {"name": "New", "kind": "web", "domain": "new.example.com", "payout": TERMS}
    born = await as_manager.post("/v1/properties", body)
    same = await as_manager.patch(path, 1, {"name": "Mine", "payout": site["payout"]})

    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")
    assert refused.json()["error"]["param"] == "payout"
    assert (born.status_code, same.status_code) == (403, 200)


async def test_owners_and_the_audit_log_have_old_and_new_terms(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await customer.make_property(domain="paid.example.com")
    changed = await customer.patch(f"/v1/properties/{site['id']}", 1, {"payout": TERMS})
    assert changed.status_code == 200, changed.text
    log = (await customer.get("/v1/audit-log?limit=1")).json()["data"][0]
    mail = (await mails_to(api, owner.email))[-1]

    assert log["detail"]["payout"] == {"from": site["payout"], "to": TERMS}
    assert mail["Subject"] == "The payout details of a property were changed"
    text = text_of(mail)
    assert "Before: 0 % of the spend to nobody" in text
    assert 'Now: 60 % of the spend to "DE89 3704 0044"' in text


async def test_an_admin_invites_nobody_to_finance(api: ControlApi, owner: Person) -> None:
    _, admin = await a_member(api, owner, "admin")
    refused = await invite(api, admin, "finance")

    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")
    assert (await invite(api, admin, "manager")).status_code == 201
