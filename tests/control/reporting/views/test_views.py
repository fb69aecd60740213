"""Saved views over HTTP: who sees which, who changes which, and what is refused."""

from typing import Any

import httpx
import pytest
from sqlalchemy import text

from common.values.ids import new_id
from control.reporting.views import rules
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, made, params_of

VIEWS = "/v1/reports/views"


@pytest.fixture
async def owner(api: ControlApi) -> Person:
    """Of an account without a view."""
    return await api.sign_up()


async def _save(customer: Customer, environment: str = "live", **changes: Any) -> httpx.Response:
    body = {"name": "Weekly", "question": {"range": "7d", "group_by": ["campaign"]}} | changes
    return await customer.post(f"{VIEWS}?environment={environment}", body)


async def _delete(customer: Customer, path: str) -> httpx.Response:
    return await customer.api.http.delete(path, headers=customer.headers)


async def _names(customer: Customer, environment: str = "live") -> list[str]:
    listed = await customer.get(f"{VIEWS}?environment={environment}")
    return [one["name"] for one in listed.json()["data"]]


async def test_a_view_keeps_what_was_sent_and_no_defaults(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)

    answer = await _save(customer)
    view = made(answer)

    assert answer.headers["location"] == f"{VIEWS}/{view['id']}"
    assert view["question"] == {"range": "7d", "group_by": ["campaign"]}
    assert (view["is_own"], view["is_shared"], view["is_test"]) == (True, False, False)
    assert (await customer.get(f"{VIEWS}/{view['id']}")).json() == view


async def test_countries_are_returned_as_their_standard_writes_them(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    view = made(await _save(customer, question={"range": "7d", "country": ["br", "DE"]}))

    assert view["question"]["country"] == ["BR", "DE"]
    assert (await customer.get(f"{VIEWS}/{view['id']}")).json() == view


async def test_countries_that_an_earlier_release_stored_are_returned_in_upper_case(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    view = made(await _save(customer, question={"range": "7d", "country": ["DE"]}))
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "update report_views set question = jsonb_set(question, '{country}', cast(:countries as jsonb))"
            ),
            {"countries": '["br", "BR", "de"]'},
        )
    path = f"{VIEWS}/{view['id']}"

    read = (await customer.get(path)).json()
    assert read["question"] == {"range": "7d", "country": ["BR", "DE"]}
    assert (await customer.get(f"{VIEWS}?environment=live")).json()["data"] == [read]
    assert (await customer.patch(path, 1, {"question": read["question"]})).status_code == 200


async def test_a_view_belongs_to_one_environment(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    made(await _save(customer, environment="test"))

    assert (await _names(customer), await _names(customer, "test")) == ([], ["Weekly"])


async def test_a_private_view_is_its_creators_alone(api: ControlApi, owner: Person) -> None:
    other = Customer(api, (await a_member(api, owner, "owner"))[1])
    private = made(await _save(Customer(api, owner)))
    made(await _save(Customer(api, owner), name="Ours", is_shared=True))

    path = f"{VIEWS}/{private['id']}"

    assert await _names(other) == ["Ours"]
    assert (await other.get(path)).status_code == 404
    assert (await other.patch(path, 1, {"name": "Mine"})).status_code == 404
    assert (await _delete(other, path)).status_code == 404


async def test_a_view_of_the_account_is_changed_by_its_creator_owners_and_admins(
    api: ControlApi, owner: Person
) -> None:
    manager = Customer(api, (await a_member(api, owner, "manager"))[1])
    analyst = Customer(api, (await a_member(api, owner, "analyst"))[1])
    view = made(await _save(manager, is_shared=True))
    path = f"{VIEWS}/{view['id']}"

    refused = await analyst.patch(path, 1, {"name": "Mine"})
    kept = await _delete(analyst, path)
    by_owner = await Customer(api, owner).patch(path, 1, {"name": "By the owner"})
    by_creator = await manager.patch(path, 2, {"name": "By the creator"})

    assert [code_of(one) for one in (refused, kept)] == ["permission_denied"] * 2
    assert (by_owner.json()["name"], by_owner.json()["is_own"]) == ("By the owner", False)
    assert by_creator.json()["version"] == 3


async def test_only_the_creator_takes_a_view_back(api: ControlApi, owner: Person) -> None:
    manager = Customer(api, (await a_member(api, owner, "manager"))[1])
    view = made(await _save(manager, is_shared=True))
    path = f"{VIEWS}/{view['id']}"

    refused = await Customer(api, owner).patch(path, 1, {"is_shared": False})
    taken = await manager.patch(path, 1, {"is_shared": False})

    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")
    assert taken.json()["is_shared"] is False
    assert await _names(Customer(api, owner)) == []


async def test_a_view_never_names_an_object_of_another_account(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    stranger = Customer(api, await api.sign_up())
    site = await customer.make_property()
    campaign = await customer.make_campaign(site["id"])
    view = made(await _save(stranger))
    filters = {"range": "7d", "campaign_id": [campaign["id"]]}

    saved = await _save(stranger, question=filters)
    changed = await stranger.patch(f"{VIEWS}/{view['id']}", 1, {"question": filters})
    in_test = await _save(customer, environment="test", question=filters)

    assert [one.status_code for one in (saved, changed, in_test)] == [404, 404, 404]


@pytest.mark.parametrize(
    ("question", "param"),
    [
        ({}, "question.range"),
        ({"range": "7d", "from": "2026-01-01", "to": "2026-01-02"}, "question.range"),
        ({"from": "2026-01-01"}, "question.range"),
        ({"from": "2026-01-02", "to": "2026-01-01"}, "question.to"),
        ({"from": 1_767_225_600, "to": "2026-01-02"}, "question.from"),
        ({"from": "1767225600", "to": "2026-01-02"}, "question.from"),
        ({"from": "2026-01-01", "to": "2026-01-02T00:00:00Z"}, "question.to"),
        ({"from": "2026-01-01", "to": "2026-02-30"}, "question.to"),
        ({"range": "7d", "metrics": ["profit"]}, "question.metrics.0"),
        ({"range": "7d", "group_by": ["ad", "slot", "country"]}, "question.group_by"),
        ({"range": "7d", "campaign_id": ["x"]}, "question.campaign_id.0"),
        ({"range": "7d", "group_by": "campaign,ad"}, "question.group_by"),
    ],
)
async def test_a_question_that_no_report_answers_is_refused(
    api: ControlApi, owner: Person, question: dict[str, Any], param: str
) -> None:
    answer = await _save(Customer(api, owner), question=question)

    assert (answer.status_code, params_of(answer)) == (422, [param])


async def test_a_view_of_two_days_is_written_as_it_was_sent(api: ControlApi, owner: Person) -> None:
    days = {"from": "2026-01-01", "to": "2026-01-31"}

    view = made(await _save(Customer(api, owner), question=days))

    assert view["question"] == days


async def test_a_view_ends_with_its_creators_membership_unless_it_is_of_the_account(
    api: ControlApi, owner: Person
) -> None:
    _, person = await a_member(api, owner, "manager")
    private = made(await _save(Customer(api, person)))
    made(await _save(Customer(api, person), name="Ours", is_shared=True))

    left = await Customer(api, person).post("/v1/members/leave")

    assert left.status_code == 204, left.text
    assert await _names(Customer(api, owner)) == ["Ours"]
    async with api.control.database.service() as session:
        rows = await session.execute(
            text("select 1 from report_views where id = :id"), {"id": private["id"]}
        )
    assert rows.all() == []


async def test_an_unknown_view_is_not_found(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)

    assert [(await customer.get(f"{VIEWS}/{one}")).status_code for one in (new_id(), "x")] == [
        404,
        404,
    ]


async def test_an_account_holds_no_more_views_than_its_limit(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "insert into report_views (id, account_id, environment, name, question, created_by, version, "
                "created_at, updated_at) select gen_random_uuid(), :account, 'live', 'V', '{}', :user, 1, now(), "
                "now() from generate_series(1, :most)"
            ),
            {"account": owner.account_id, "user": owner.user_id, "most": rules.MAX_VIEWS},
        )

    assert code_of(await _save(customer)) == "limit_reached"
    assert (await _save(customer, environment="test")).status_code == 201
