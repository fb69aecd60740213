"""The management API on a real socket and a real database, and the people and keys that tests call it as."""

import ast
import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import httpx
import orjson
import sanic_routing.router

from common.contract.permissions import SCOPES, Permission
from common.values.environment import Environment
from common.values.ids import new_id
from common.values.keys import KeyKind, KeyText, new_key
from control.api.context import ControlContext
from control.foundation.password_hashing import Passwords
from control.foundation.settings import ControlSettings
from control.processes.api import serving
from control.storage.migrate import migrate
from control.storage.tables.accounts import AccountRow
from control.storage.tables.properties import KeyRow, PropertyRow
from control.wiring import open_control
from tests.support.http_client import http_client
from tests.support.servers import PostgresServer

PASSWORD = "correct horse battery"

# Sanic compiles the source of each app's router, which takes a tenth of a second. Here it is the same for hundreds.
_KEPT = {name: cache(getattr(ast, name)) for name in ("parse", "unparse", "fix_missing_locations")}
sanic_routing.router.__dict__.update(ast=SimpleNamespace(**_KEPT), compile=cache(compile))


class DatabaseTemplate:
    """A migrated database, copied for whoever needs a fresh one."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._url = server.new_database()
        asyncio.run(migrate(self._url))

    def new_database(self) -> str:
        """The URL of a database at the newest schema, without a row."""
        name = f"copy_{uuid4().hex[:12]}"
        template = self._url.split("@/", 1)[1].split("?", 1)[0]
        self._server.query(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self._server.database_url(name)

    def drop(self, url: str) -> None:
        """Removes a copy, with whoever is still connected to it."""
        name = url.split("@/", 1)[1].split("?", 1)[0]
        self._server.query(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in owner of an account."""

    account_id: str
    user_id: str
    email: str
    access_token: str
    refresh_token: str

    @property
    def headers(self) -> dict[str, str]:
        return bearer(self.access_token)


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key that stands in the database."""

    id: str
    text: KeyText
    property_id: str

    @property
    def headers(self) -> dict[str, str]:
        return bearer(self.text.text)


@dataclass(frozen=True, slots=True)
class ControlApi:
    """The running API; ``control`` is what it shares, ``http`` a client of it."""

    control: ControlContext
    http: httpx.AsyncClient
    port: int

    async def sign_up(self, name: str = "Acme Media", *, verified: bool = True) -> Person:
        """*verified*: the account's address, as though its mail had been followed."""
        email = f"{uuid4().hex}@people.example"
        made = await self.http.post(
            "/v1/accounts", json={"name": name, "email": email, "password": PASSWORD}
        )
        assert made.status_code == 201, made.text
        if verified:
            await self.verify_account(made.json()["account"]["id"])
        signed_in = await self.sign_in(email)
        tokens = signed_in.json()
        return Person(
            made.json()["account"]["id"],
            made.json()["user"]["id"],
            email,
            tokens["access_token"],
            tokens["refresh_token"],
        )

    async def verify_account(self, account_id: str) -> None:
        async with self.control.database.service() as session:
            account = await session.get_one(AccountRow, account_id)
            account.address_verified_at = account.created_at

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx.Response:
        grant = {"grant_type": "password", "email": email, "password": password}
        return await self.http.post("/v1/auth/token", json=grant)

    async def add_property(self, person: Person) -> str:
        """Straight into the database: its id."""
        now = self.control.clock.now()
        row = PropertyRow(
            id=new_id(),
            account_id=person.account_id,
            name="Site",
            kind="web",
            domain=f"{uuid4().hex}.example",
            status="unverified",
            timezone="UTC",
            consent_policy="required",
            token_ttl_seconds=600,
            rate_limits={
                "serve_per_key_s": 1000,
                "serve_per_ip_s": 100,
                "track_per_key_s": 2000,
                "track_per_ip_s": 200,
            },
            payout={"payee": None, "share_percent": 0},
            created_at=now,
            updated_at=now,
        )
        async with self.control.database.service() as session:
            session.add(row)
        return row.id

    async def add_key(
        self,
        person: Person,
        kind: KeyKind = KeyKind.INTEGRATION,
        environment: Environment = Environment.TEST,
        *,
        property_id: str | None = None,
        scopes: tuple[Permission, ...] = SCOPES,
        **values: Any,
    ) -> MadeKey:
        """Straight into the database, on a property of its own unless one is named."""
        text = new_key(kind, environment)
        row = KeyRow(
            id=new_id(),
            account_id=person.account_id,
            property_id=property_id or await self.add_property(person),
            kind=kind,
            environment=environment,
            name="A key",
            hash=text.hash,
            last4=text.last4,
            scopes=list(scopes) if kind is KeyKind.INTEGRATION else [],
            created_by=person.user_id,
            created_at=self.control.clock.now(),
            **values,
        )
        async with self.control.database.service() as session:
            session.add(row)
        return MadeKey(row.id, text, row.property_id)


@asynccontextmanager
async def running_control(
    database_url: str, folder: Path, **settings: Any
) -> AsyncIterator[ControlApi]:
    """Nothing limits the rate unless *settings* do."""
    key_file = folder / f"keys-{uuid4().hex[:8]}.json"
    key = base64.b64encode(b"k" * 32).decode()
    key_file.write_bytes(orjson.dumps({"active": "k1", "keys": {"k1": key}}))
    values: dict[str, Any] = {
        "database_url": database_url,
        "redis_url": "redis://127.0.0.1:1/0",
        "key_file": key_file,
        "state": folder,
        "control_port": 0,
        "control_url": "http://127.0.0.1:8000",
        "edge_live_url": "http://127.0.0.1:8080",
        "edge_test_url": "http://127.0.0.1:8081",
        "management_per_key_s": 10_000,
        "management_bytes_per_ip_s": 10**9,
        "sign_ups_per_hour": 1_000_000,
        "dns_servers": "127.0.0.1:1,127.0.0.2:1",
        "dns_timeout_s": 0.2,
        **settings,
    }
    async with (
        open_control(ControlSettings(**values)) as control,
        serving(control) as port,
        http_client(base_url=f"http://127.0.0.1:{port}") as http,
    ):
        passwords = Passwords(
            time_cost=1, memory_cost_kib=64
        )  # almost every test signs somebody up
        control.put(passwords)
        try:
            yield ControlApi(control, http, port)
        finally:
            passwords.close()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def code_of(answer: httpx.Response) -> str:
    """The envelope's code; fails where the answer is no envelope."""
    error = answer.json()["error"]
    assert error["message"]
    assert error["request_id"] == answer.headers["x-request-id"]
    return str(error["code"])
