"""Everybody who may knock, and what they may knock for: the rows and columns of the matrix."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import httpx
import orjson
from sqlalchemy import text

from common.contract.operation import Auth, Operation
from common.contract.permissions import SCOPES, Permission
from common.environment import Environment
from common.keys import KeyKind, new_key
from control.examples import CAMPAIGN_ID, PROPERTY_ID
from tests.support.control_api import ControlApi, Person, bearer
from tests.support.resources import Customer, made

LIVE = Environment.LIVE
NAME = "A name that nobody else may read"
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class World:
    """One account with an object of every kind, live; and credentials by name, none of which may come in."""

    api: ControlApi
    owner: Person
    objects: dict[str, str]
    """First segment of the path to an id."""
    tokens: dict[str, str]
    outsiders: dict[str, tuple[Auth, str]]
    """Credentials that come in at the door, and belong to somebody else."""
    financier: str
    """The access token of a member who may do next to nothing."""
    financiers_key: str
    """An integration key with every scope, made by that member."""

    async def call(self, operation: Operation, token: str, ids: dict[str, str]) -> httpx.Response:
        """A good call, but for what *token* and *ids* make of it."""
        body = body_naming(operation, ids)
        in_environment = operation.query and "environment" in operation.query.model_fields
        path = operation.path
        if operation.path_params:
            path = path.format(id=ids[path.split("/")[2]])
        return await self.api.http.request(
            operation.method,
            path,
            headers={"If-Match": "1", **bearer(token), **(_JSON if body else {})},
            params={"environment": LIVE} if in_environment else {},
            content=body,
        )

    async def knock(
        self, operation: Operation, token: str | None, query: str = ""
    ) -> httpx.Response:
        """A call that is wrong in everything behind the door, so that the door must speak first."""
        headers = {"Authorization": f"Bearer {token}".strip()} if token is not None else {}
        path = operation.path.format(id="nothing")
        return await self.api.http.request(
            operation.method, path, headers=headers, params=query or "no_such=1", content=b"{"
        )

    async def key_without(self, permission: Permission) -> str:
        """An integration key with every scope but this one."""
        scopes = tuple(scope for scope in SCOPES if scope != permission)
        site = self.objects["properties"]
        made = await self.api.add_key(self.owner, environment=LIVE, property_id=site, scopes=scopes)
        return made.text.text

    def strangers(self, operation: Operation) -> dict[str, str]:
        """Who comes in, and must not see the objects."""
        return {
            who: token for who, (auth, token) in self.outsiders.items() if auth in operation.auth
        }


def absent(objects: dict[str, str]) -> dict[str, str]:
    """Ids of the same shape that stand for nothing."""
    return {kind: str(uuid4()) for kind in objects}


def body_naming(operation: Operation, ids: dict[str, str]) -> bytes | None:
    """The example's body with real ids."""
    if operation.body_example is None:
        return None
    example = orjson.dumps(operation.body_example).decode()
    example = example.replace(PROPERTY_ID, ids["properties"])
    return example.replace(CAMPAIGN_ID, ids["campaigns"]).encode()


def names_ids(operation: Operation) -> bool:
    """Whether a call names an object in its path or body."""
    given = orjson.dumps(operation.body_example)
    return bool(operation.path_params) or any(
        name.encode() in given for name in (PROPERTY_ID, CAMPAIGN_ID)
    )


async def make_world(api: ControlApi) -> World:
    owner = await api.sign_up()
    customer = Customer(api, owner)
    site = (await customer.make_property(name=NAME))["id"]
    campaign = (await customer.make_campaign(site, name=NAME))["id"]
    key = await api.add_key(owner, environment=LIVE, property_id=site)
    objects = {
        "properties": site,
        "slots": (await customer.make_slot(site, name=NAME))["id"],
        "campaigns": campaign,
        "ads": (await customer.make_ad(campaign, name=NAME))["id"],
        "assets": await _asset(customer),
        "sdk-keys": (await customer.make_sdk_key(site))["id"],
        "integration-keys": key.id,
    }
    finance = await _financier(api)
    return World(
        api,
        owner,
        objects,
        await _tokens(api, owner),
        await _outsiders(api, owner),
        financier=finance.access_token,
        financiers_key=(await api.add_key(finance, environment=LIVE)).text.text,
    )


async def _asset(customer: Customer) -> str:
    body = {"kind": "image", "filename": NAME, "mime": "image/png", "bytes": 100}
    return str(made(await customer.post("/v1/assets?environment=live", body))["id"])


async def _outsiders(api: ControlApi, owner: Person) -> dict[str, tuple[Auth, str]]:
    stranger = await api.sign_up()
    foreign = await api.add_key(stranger, environment=LIVE)
    secret = await api.add_key(stranger, KeyKind.SECRET, LIVE, property_id=foreign.property_id)
    other_property = await api.add_key(owner, environment=LIVE)
    return {
        "the owner of another account": (Auth.ACCESS_TOKEN, stranger.access_token),
        "a key of another account": (Auth.INTEGRATION_KEY, foreign.text.text),
        "a secret key of another account": (Auth.SECRET_KEY, secret.text.text),
        "a key of another property": (Auth.INTEGRATION_KEY, other_property.text.text),
    }


async def _tokens(api: ControlApi, owner: Person) -> dict[str, str]:
    past = api.control.clock.now() - timedelta(seconds=1)
    tokens = {
        "malformed": "nonsense",
        "malformed access token": "at_short",
        "unknown access token": "at_" + "a" * 43,
        "refresh token": owner.refresh_token,
        "expired access token": await _expired(api),
    }
    suspended = await api.sign_up()
    tokens["access token of a suspended account"] = suspended.access_token
    for kind in KeyKind:
        good = await api.add_key(owner, kind, LIVE)
        revoked = await api.add_key(owner, kind, LIVE, revoked_at=past)
        expired = await api.add_key(owner, kind, LIVE, expires_at=past)
        halted = await api.add_key(suspended, kind, LIVE)
        tokens |= {
            f"{kind} key": good.text.text,
            f"{kind} key with a typo": _with_a_typo(good.text.text),
            f"unknown {kind} key": new_key(kind, LIVE).text,
            f"revoked {kind} key": revoked.text.text,
            f"expired {kind} key": expired.text.text,
            f"{kind} key of a suspended account": halted.text.text,
        }
    await _run(api, "update accounts set state = 'suspended' where id = :id", suspended.account_id)
    return tokens


def _with_a_typo(key: str) -> str:
    return key[:-1] + ("a" if key[-1] != "a" else "b")


async def _expired(api: ControlApi) -> str:
    person = await api.sign_up()
    await _run(
        api,
        "update access_tokens set expires_at = now() - interval '1 s' where account_id = :id",
        person.account_id,
    )
    return person.access_token


async def _financier(api: ControlApi) -> Person:
    person = await api.sign_up()
    await _run(
        api, "update memberships set role = 'finance' where account_id = :id", person.account_id
    )
    return person


async def _run(api: ControlApi, statement: str, account_id: str) -> None:
    async with api.control.database.service() as session:
        await session.execute(text(statement), {"id": account_id})


def door_code(operation: Operation, credential: str) -> str | None:
    """What the contract says of this credential at this door; None where it comes in."""
    takes = {auth.value.removesuffix("_key") for auth in operation.auth} | {"integration"}
    found = [kind for kind in ("publishable", "secret", "integration") if kind in credential]
    if credential.startswith(("malformed", "unknown", "refresh")) or "typo" in credential:
        return "invalid_key"
    if credential == "expired access token" or (found and found[0] not in takes):
        return "invalid_key"
    if credential.startswith(("revoked", "expired")):
        return "key_revoked"
    if credential.endswith("suspended account"):
        return "tenant_suspended"
    if found == ["integration"] and Auth.INTEGRATION_KEY not in operation.auth:
        return "not_available_to_integration_keys"
    return None
