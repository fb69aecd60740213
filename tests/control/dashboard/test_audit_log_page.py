"""The audit log as a page: its filters find everybody, and go along to the next page."""

import ast
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

import control
from control.dashboard.audit_log.audit_messages import PHRASES
from control.dashboard.pickers.queries import MAX_CHOICES
from tests.support.control_api import ControlApi
from tests.support.forms import attribute
from tests.support.resources import Customer
from tests.support.visitor import Visitor, text_of, visiting

_MANY = """
with made as (
    insert into users (id, email, name, password_hash, created_at)
    select 'f' || substr(gen_random_uuid()::text, 2), gen_random_uuid() || '@many.example',
        'Member ' || n, '', now()
    from generate_series(1, $1) n returning id
)
insert into memberships (account_id, user_id, id, role, version, created_at, updated_at)
select $2, id, gen_random_uuid(), 'analyst', 1, now(), now() from made
"""


@pytest.fixture
async def visitor(api: ControlApi) -> AsyncIterator[Visitor]:
    """The owner of an account with more members than a field offers; all others joined later."""
    person = await api.sign_up()
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(_MANY, (MAX_CHOICES + 1, person.account_id))
    async with visiting(api, person) as signed_in:
        yield signed_in


def _actors(page: LexborHTMLParser) -> dict[str, str]:
    found = page.css('select[name="actor"] option')
    return {str(one.attributes["value"]): one.text().strip() for one in found}


async def test_any_member_is_found_by_a_part_of_the_name(visitor: Visitor) -> None:
    owner = f"user:{visitor.person.user_id}"
    before = _actors(await visitor.look("/audit-log"))
    found = _actors(await visitor.look("/audit-log?find.actor=ACME&act=find"))

    assert owner not in before
    assert list(before)[:3] == ["", "operator", "system"]
    assert found[owner] == "Acme Media"


async def test_actions_are_chosen_from_groups(visitor: Visitor) -> None:
    page = await visitor.look("/audit-log")

    of_group = {
        str(group.attributes["label"]): [
            str(one.attributes["value"]) for one in group.css("option")
        ]
        for group in page.css('select[name="action"] optgroup')
    }
    assert "activateCampaign" in of_group["Campaigns"]
    alone = [
        str(one.attributes["value"] or "") for one in page.css('select[name="action"] > option')
    ]
    assert alone == [""]
    grouped = [one for options in of_group.values() for one in options]
    assert sorted(grouped) == sorted(PHRASES)


async def test_the_chosen_actor_stays_selected(visitor: Visitor) -> None:
    owner = f"user:{visitor.person.user_id}"
    for actor in (owner, "operator", "key:01940b3e-0000-7000-8000-0000000000f1"):
        page = await visitor.look(f"/audit-log?actor={actor}")

        assert attribute(page, 'select[name="actor"] option[selected]', "value") == actor


async def test_lines_name_who_acted_and_on_what(api: ControlApi, visitor: Visitor) -> None:
    customer = Customer(api, visitor.person)
    site = await customer.make_property(name="Daily")
    headers = await customer.key_headers(site["id"])
    await customer.post(
        "/v1/slots", {"property_id": site["id"], "name": "Top", "formats": ["html"]}
    )
    body = {"name": "Autumn", "objective": "traffic", "pricing_model": "cpm", "bid_cents": 200}
    await customer.post("/v1/campaigns", body, headers)

    page = await visitor.look("/audit-log")

    actors = {node.text().strip() for node in page.css("tbody strong")}
    objects = {node.text().strip() for node in page.css("tbody td:nth-child(3) a")}
    assert actors == {"Acme Media", "The key System"}
    assert {"Daily", "System", "Top", "Autumn"} <= objects


async def test_every_filter_is_kept_on_the_next_page(api: ControlApi, visitor: Visitor) -> None:
    customer = Customer(api, visitor.person)
    for _ in range(51):
        await customer.post("/v1/account/stop")
        await customer.post("/v1/account/resume")
    address = "/audit-log?object_type=account&action=stopAccount"
    first = await visitor.look(address)
    second = await visitor.look(attribute(first, "nav.pages a[rel=next]", "href"))

    assert len(first.css("tbody tr")) == 50
    assert len(second.css("tbody tr")) == 1
    assert attribute(second, 'input[name="object_type"]', "value") == "account"


def _acts_of_operators() -> Iterator[str]:
    """The actions that operators' commands record by name."""
    for path in Path(control.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="record" | "record_of_all"),
                    args=[ast.Constant(value=str(act)), *_],
                ):
                    yield act
                case _:
                    pass


def test_every_act_of_an_operator_reads_as_a_sentence() -> None:
    acts = set(_acts_of_operators())

    assert "account.set_review" in acts
    assert acts - set(PHRASES) == set()


async def test_the_audit_log_reads_as_sentences(visitor: Visitor) -> None:
    await visitor.act("/account", act="stop")

    page = text_of(await visitor.look("/audit-log"))

    assert "Acme Media stopped all live serving" in page


async def test_the_audit_log_is_filtered_by_its_address(visitor: Visitor) -> None:
    await visitor.act("/account", act="stop")

    page = text_of(await visitor.look("/audit-log?action=resumeAccount"))

    assert "No matching entries." in page
