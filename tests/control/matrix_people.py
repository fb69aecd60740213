"""Everybody who may knock: the credentials of the matrix, and what each must hear."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from common.contract.operation import Auth, Operation
from common.contract.permissions import Role
from common.values.environment import Environment
from common.values.keys import KeyKind, new_key
from control.storage.tables.accounts import MembershipRow
from tests.support.control_api import ControlApi, MadeKey, Person

LIVE = Environment.LIVE


@dataclass(frozen=True, slots=True)
class Outsider:
    """A credential that passes admission, and must not see the objects."""

    auth: Auth
    token: str
    environment: Environment = LIVE
    sees_shared: bool = False
    """It belongs to the same property: only what has an environment is hidden from it."""


async def outsiders(api: ControlApi, owner: Person, property_id: str) -> dict[str, Outsider]:
    foreign_owner = await api.sign_up()
    foreign = await api.add_key(foreign_owner, environment=LIVE)
    secret = await api.add_key(foreign_owner, KeyKind.SECRET, LIVE, property_id=foreign.property_id)
    other_property = await api.add_key(owner, environment=LIVE)
    other_environment = await api.add_key(
        owner, environment=Environment.TEST, property_id=property_id
    )
    return {
        "the owner of another account": Outsider(Auth.ACCESS_TOKEN, foreign_owner.access_token),
        "a key of another account": Outsider(Auth.INTEGRATION_KEY, foreign.text.text),
        "a secret key of another account": Outsider(Auth.SECRET_KEY, secret.text.text),
        "a key of another property": Outsider(Auth.INTEGRATION_KEY, other_property.text.text),
        "a key of the other environment": Outsider(
            Auth.INTEGRATION_KEY, other_environment.text.text, Environment.TEST, sees_shared=True
        ),
    }


async def refused_tokens(api: ControlApi, owner: Person) -> dict[str, str]:
    """Credentials that come in nowhere, or not everywhere; the matrix states the error code of each."""
    past = api.control.clock.now() - timedelta(seconds=1)
    suspended, removed = await api.sign_up(), await api.sign_up()
    tokens = {
        "malformed": "nonsense",
        "malformed access token": "at_short",
        "unknown access token": "at_" + "a" * 43,
        "refresh token": owner.refresh_token,
        "expired access token": await _expired(api),
        "access token of a suspended account": suspended.access_token,
        "removed member's access token": removed.access_token,
    }
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
    await _run(api, "delete from memberships where account_id = :id", removed.account_id)
    return tokens


def authenticator_code(operation: Operation, credential: str) -> str | None:
    """What the contract says of this credential at this door; None where it comes in."""
    takes = {auth.value.removesuffix("_key") for auth in operation.auth} | {"integration"}
    found = [kind for kind in ("publishable", "secret", "integration") if kind in credential]
    is_no_key = credential.startswith(("malformed", "unknown", "refresh", "removed"))
    is_other_kind = _is_wrong_token(operation, credential) or (found and found[0] not in takes)
    if is_no_key or is_other_kind or "typo" in credential or credential == "expired access token":
        return "invalid_key"
    if credential.startswith(("revoked", "expired")):
        return "key_revoked"
    if credential.endswith("suspended account"):
        return "tenant_suspended"
    if found == ["integration"] and Auth.INTEGRATION_KEY not in operation.auth:
        return "not_available_to_integration_keys"
    return None


async def members(api: ControlApi) -> dict[Role, str]:
    """The access token of a member of each role but the owner's."""
    tokens: dict[Role, str] = {}
    for role in (role for role in Role if role is not Role.OWNER):
        person = await api.sign_up()
        async with api.control.database.service() as session:
            await session.execute(
                text("update memberships set role = :role where account_id = :id"),
                {"role": role.value, "id": person.account_id},
            )
        tokens[role] = person.access_token
    return tokens


async def key_of_demoted(api: ControlApi, owner: Person, property_id: str) -> MadeKey:
    """Every scope, made by an admin of the account who is of finance now."""
    creator = await _member(api, owner)
    key = await api.add_key(creator, environment=LIVE, property_id=property_id)
    await _run(api, "update memberships set role = 'finance' where user_id = :id", creator.user_id)
    return key


async def key_of_removed(api: ControlApi, owner: Person, property_id: str) -> MadeKey:
    """Every scope, made by an admin of the account who is no member any more."""
    creator = await _member(api, owner)
    key = await api.add_key(creator, environment=LIVE, property_id=property_id)
    await _run(api, "delete from memberships where user_id = :id", creator.user_id)
    return key


async def _member(api: ControlApi, owner: Person) -> Person:
    """An admin of the owner's account; the token is of an account of their own."""
    person = await api.sign_up()
    now = api.control.clock.now()
    row = MembershipRow(
        account_id=owner.account_id,
        user_id=person.user_id,
        role=Role.ADMIN,
        invited_by=owner.user_id,
        created_at=now,
        updated_at=now,
    )
    async with api.control.database.service() as session:
        session.add(row)
    return Person(
        owner.account_id, person.user_id, person.email, person.access_token, person.refresh_token
    )


def _is_wrong_token(operation: Operation, credential: str) -> bool:
    return "access token" in credential and Auth.ACCESS_TOKEN not in operation.auth


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


async def _run(api: ControlApi, statement: str, of_id: str) -> None:
    async with api.control.database.service() as session:
        await session.execute(text(statement), {"id": of_id})
