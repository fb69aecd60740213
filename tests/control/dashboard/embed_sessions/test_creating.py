"""Creating an embedded window."""

from typing import Any
from uuid import uuid4

import pytest

from common.contract.permissions import SCOPES
from common.values.environment import Environment
from control.dashboard.embed_sessions.components import NEEDED, Component
from tests.support.control_api import ControlApi, MadeKey, Person, code_of
from tests.support.embedding import ORIGIN, ask
from tests.support.resources import Customer, params_of


@pytest.fixture
async def key(api: ControlApi, owner: Person) -> MadeKey:
    return await api.add_key(owner, environment=Environment.LIVE)


@pytest.fixture
async def test_key(api: ControlApi, owner: Person) -> MadeKey:
    return await api.add_key(owner)


async def test_a_key_gets_a_secret_its_address_and_its_end(api: ControlApi, key: MadeKey) -> None:
    answer = await ask(api, key.headers)

    assert answer.status_code == 201
    made = answer.json()
    assert set(made) == {"client_secret", "url", "expires_at"}
    assert made["client_secret"].startswith("cs_")
    assert made["url"] == f"http://127.0.0.1:8000/embed?cs={made['client_secret']}"
    assert answer.headers["cache-control"] == "no-store"


async def test_repeating_the_call_gives_the_same_secret_which_is_stored_sealed(
    api: ControlApi, key: MadeKey
) -> None:
    headers = {**key.headers, "Idempotency-Key": uuid4().hex}
    first, again = await ask(api, headers), await ask(api, headers)

    assert again.headers["idempotent-replayed"] == "true"
    assert again.content == first.content
    async with api.control.database.service() as session:
        connection = await session.connection()
        rows = (await connection.exec_driver_sql("select answer from idempotency")).all()
    secret = first.json()["client_secret"].encode()
    assert all(secret not in bytes(row.answer) for row in rows)


@pytest.mark.parametrize("component", Component)
async def test_each_component_needs_its_scope(
    api: ControlApi, owner: Person, component: Component
) -> None:
    needed = NEEDED[component]
    scopes = tuple(scope for scope in SCOPES if scope != needed)
    key = await api.add_key(owner, scopes=scopes)

    answer = await ask(api, key.headers, component=component)

    assert answer.status_code == 403
    assert code_of(answer) == "insufficient_scope"
    assert f"`{needed}`" in answer.json()["error"]["message"]


async def test_a_key_whose_creator_lost_the_permission_gets_no_session(
    api: ControlApi, owner: Person
) -> None:
    key = await api.add_key(owner)
    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "update memberships set role = 'analyst' where user_id = $1", (owner.user_id,)
        )

    answer = await ask(api, key.headers)

    async with api.control.database.service() as session:
        connection = await session.connection()
        await connection.exec_driver_sql(
            "update memberships set role = 'owner' where user_id = $1", (owner.user_id,)
        )
    assert code_of(answer) == "permission_lost"


@pytest.mark.parametrize(
    "origin",
    [
        "https://app.customer.example",
        "https://app.customer.example:8443",
        "https://xn--mnchen-3ya.example",
        "https://intranet",
        "https://192.0.2.7",
    ],
)
async def test_an_origin_is_accepted_as_browsers_write_it(
    api: ControlApi, key: MadeKey, origin: str
) -> None:
    assert (await ask(api, key.headers, origin=origin)).status_code == 201


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "*",
        "null",
        "app.customer.example",
        "http://app.customer.example",
        "https://app.customer.example/",
        "https://app.customer.example/path",
        "https://app.customer.example?x=1",
        "https://*.customer.example",
        "https://user@app.customer.example",
        "https://App.customer.example",
        "HTTPS://app.customer.example",
        "https://app.customer.example:443",
        "https://app.customer.example:0",
        "https://app.customer.example:65536",
        "https://app.customer.example:08443",
        "https://app.customer.example.",
        "https://münchen.example",
        "https://[::1]",
        "https://127.1",
        "https://a b.example",
        "https://a.example https://b.example",
        "https://a.example;script-src",
        "https://a.example\n",
        "ftp://a.example",
        7,
        None,
    ],
)
async def test_an_invalid_origin_is_refused(api: ControlApi, key: MadeKey, origin: Any) -> None:
    assert params_of(await ask(api, key.headers, origin=origin)) == ["origin"]


async def test_an_origin_in_another_spelling_is_refused_with_the_right_one(
    api: ControlApi, key: MadeKey
) -> None:
    answer = await ask(api, key.headers, origin="https://MÜNCHEN.example:443")

    assert "https://xn--mnchen-3ya.example." in answer.json()["error"]["message"]


@pytest.mark.parametrize("origin", ["http://localhost", "http://localhost:3000"])
async def test_a_localhost_origin_is_for_test_keys(
    api: ControlApi, key: MadeKey, test_key: MadeKey, origin: str
) -> None:
    assert (await ask(api, test_key.headers, origin=origin)).status_code == 201
    assert params_of(await ask(api, key.headers, origin=origin)) == ["origin"]


@pytest.mark.parametrize(
    ("component", "context", "param"),
    [
        ("campaign_list", {"campaign_id": str(uuid4())}, "context.campaign_id"),
        ("ad_create", {"campaign_id": "x"}, "context.campaign_id"),
        ("ad_create", {"theme": "pink"}, "context.theme"),
        ("ad_create", {"locale": "../../etc"}, "context.locale"),
        ("ad_create", {"colour": "red"}, "context.colour"),
    ],
)
async def test_a_context_fits_its_component(
    api: ControlApi, key: MadeKey, component: str, context: dict[str, Any], param: str
) -> None:
    assert params_of(await ask(api, key.headers, component, context=context)) == [param]


@pytest.mark.parametrize("component", list(Component))
@pytest.mark.parametrize("context", [{}, {"external_ref": "order 7"}])
async def test_every_component_opens_without_a_campaign(
    api: ControlApi, key: MadeKey, component: str, context: dict[str, Any]
) -> None:
    assert (await ask(api, key.headers, component, context=context)).status_code == 201


async def test_every_fault_is_named_at_once(api: ControlApi, key: MadeKey) -> None:
    body = {"component": "campaign", "origin": "x", "size": 1}
    answer = await api.http.post("/v1/embed/sessions", json=body, headers=key.headers)

    assert sorted(params_of(answer)) == ["component", "origin", "size"]


async def test_a_campaign_of_another_environment_or_property_is_absent(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = await api.add_property(owner)
    campaign = await customer.make_campaign(site, "live")
    own = await api.add_key(owner, environment=Environment.LIVE, property_id=site)
    others = [
        await api.add_key(owner, environment=Environment.TEST, property_id=site),
        await api.add_key(owner, environment=Environment.LIVE),
    ]
    context = {"campaign_id": campaign["id"]}

    assert (await ask(api, own.headers, "campaign_edit", context=context)).status_code == 201
    for key in others:
        answer = await ask(api, key.headers, "campaign_edit", context=context)
        assert answer.status_code == 404


async def test_people_and_secret_keys_cannot_create_sessions(
    api: ControlApi, owner: Person
) -> None:
    answer = await ask(api, owner.headers)

    assert answer.status_code == 401
    assert "(ak_…)" in answer.json()["error"]["message"]


async def test_a_created_session_is_in_the_audit_log_without_the_secret(
    api: ControlApi, owner: Person, key: MadeKey
) -> None:
    secret = (await ask(api, key.headers)).json()["client_secret"]

    log = await api.http.get("/v1/audit-log", headers=owner.headers)

    line = log.json()["data"][0]
    assert line["action"] == "createEmbedSession"
    assert line["object_type"] == "embed_session"
    assert line["detail"] == {"component": "ad_create", "origin": ORIGIN}
    assert secret not in log.text
