"""The API process and the data of its two integrators: one with 1 000 campaigns, one with 100 000."""

import asyncio
import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import orjson
from sqlalchemy import text

from control.storage.database import open_engine
from deploy.standalone.postgres import Postgres
from deploy.standalone.process import list_below
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, pin, pinned_to
from loadtests.bench.servers import await_ready, end, free_port

FEW, MANY = 1_000, 100_000
_PAGE = 100
_PASSWORD = "correct horse battery"
_SCOPES = ["campaign:read", "campaign:write", "ad:write"]
_BODY = {
    "name": "Spring launch",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 250,
    "pacing": "even",
    "start_at": "2030-01-01T00:00:00Z",
    "end_at": "2030-03-31T00:00:00Z",
    "budget": {"total_cents": 500_000, "daily_cents": 10_000},
    "targeting": {"geo": {"include": [{"country": "br"}]}, "device": {"types": ["mobile"]}},
    "frequency_caps": [
        {
            "scope": "campaign",
            "event": "impression",
            "limit": 3,
            "window": {"interval": 1, "unit": "day"},
        }
    ],
    "metadata": {"team": "growth"},
}
_AD = {
    "name": "Spring banner",
    "format": "banner",
    "content": {
        "image_url": "https://cdn.example.com/a.png",
        "width": 300,
        "height": 250,
        "alt": "A",
    },
    "click_url": "https://shop.example.com/",
}
_COPY = (
    """
insert into campaigns ({campaigns}) select {campaigns} from (
    select (jsonb_populate_record(
        c, jsonb_build_object('id', uuidv7()::text, 'name', 'Campaign ' || number)
    )).* from campaigns c, generate_series(2, cast(:count as integer)) number where c.id = :campaign
)
""",
    """
insert into ads ({ads}) select {ads} from (
    select (jsonb_populate_record(
        a, jsonb_build_object('id', uuidv7()::text, 'campaign_id', c.id, 'status', 'active')
    )).* from ads a join campaigns c on c.account_id = a.account_id
    where a.campaign_id = :campaign and c.id <> :campaign
)
""",
    """
insert into campaign_spend select c.id, c.account_id, 1000000, 100, 10, 1, now() from campaigns c
where c.account_id = (select account_id from campaigns where id = :campaign)
""",
)
"""One campaign with its ad is multiplied; each copy has an active ad and a row of spend."""
_COLUMNS = text(
    "select string_agg(column_name, ', ') from information_schema.columns"
    " where table_name = :table and is_generated = 'NEVER'"
)


@dataclass(frozen=True, slots=True)
class Api:
    port: int
    database_url: str
    pid: int
    postgres_pid: int


@dataclass(frozen=True, slots=True)
class Integrator:
    """A user of an integration key, and the paths to request; every request is ready to be sent."""

    host: str
    key: str
    campaign_paths: list[str]
    page_paths: list[str]

    def get(self, path: str) -> bytes:
        return self._request("GET", path, b"")

    def create(self, number: int) -> bytes:
        body = orjson.dumps({**_BODY, "name": f"Created {number}"})
        return self._request("POST", "/v1/campaigns", body)

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        head = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}",
            f"Authorization: Bearer {self.key}",
        ]
        if body:
            head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@contextmanager
def run_api(folder: Path) -> Iterator[Api]:
    """The API alone on its core, its database (durable, as in production) on the other."""
    postgres = Postgres(folder / "postgres")
    postgres.start()
    try:
        if postgres.identity:
            for pid in (postgres.identity.pid, *list_below(postgres.identity.pid)):
                pin(pid, OTHER_CORE)
        port = free_port()
        settings = _settings(folder, postgres.url, port)
        subprocess.run([sys.executable, "-m", "control", "migrate"], env=settings, check=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "control", "api"],
            env=settings,
            preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
        )
        try:
            await_ready(port, "/readyz")
            postgres_pid = postgres.identity.pid if postgres.identity else 0
            yield Api(port, postgres.url, process.pid, postgres_pid)
        finally:
            end(process)
    finally:
        postgres.stop()


def make_integrator(api: Api, *, campaigns: int) -> Integrator:
    """A new account with *campaigns* campaigns in test, and a key for them."""
    with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60) as http:
        key, first = _with_campaign(http)
        http.headers["Authorization"] = f"Bearer {key}"
        asyncio.run(_multiply(api.database_url, first, campaigns))
        pages, ids = _walk(http)
    assert len(ids) == campaigns, len(ids)
    return Integrator(
        f"127.0.0.1:{api.port}", key, [f"/v1/campaigns/{campaign}" for campaign in ids], pages
    )


def sign_up(http: httpx.Client) -> str:
    """The id of a new account; *http* calls as its owner from now on."""
    person = {"name": "Bench", "email": f"{uuid4().hex}@bench.example", "password": _PASSWORD}
    account_id: str = made(http.post("/v1/accounts", json=person))["account"]["id"]
    grant = {"grant_type": "password", "email": person["email"], "password": _PASSWORD}
    token = http.post("/v1/auth/token", json=grant).raise_for_status().json()["access_token"]
    http.headers["Authorization"] = f"Bearer {token}"
    return account_id


def made(answer: httpx.Response) -> dict[str, Any]:
    """The body of a 201; ends the bench otherwise."""
    if answer.status_code != httpx.codes.CREATED:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text}")
    found: dict[str, Any] = answer.json()
    return found


def _with_campaign(http: httpx.Client) -> tuple[str, str]:
    """The text of an integration key, and the id of the first campaign, which has an ad."""
    sign_up(http)
    site = made(
        http.post(
            "/v1/properties", json={"name": "Site", "kind": "web", "domain": "site.example.com"}
        )
    )
    requested = {
        "property_id": site["id"],
        "environment": "test",
        "name": "Bench",
        "scopes": _SCOPES,
    }
    key: str = made(http.post("/v1/integration-keys", json=requested))["key"]
    body = {**_BODY, "property_ids": [site["id"]]}
    campaign = made(http.post("/v1/campaigns?environment=test", json=body))
    made(http.post("/v1/ads?environment=test", json={**_AD, "campaign_id": campaign["id"]}))
    return key, campaign["id"]


async def _multiply(database_url: str, campaign: str, count: int) -> None:
    """Writes to the database directly, because a hundred thousand calls would take minutes."""
    engine = open_engine(database_url, None, is_hurried=False)
    async with engine.begin() as connection:
        columns = {
            table: await connection.scalar(_COLUMNS, {"table": table})
            for table in ("campaigns", "ads")
        }
        for template in _COPY:
            statement = template.format(**columns)
            values = {"campaign": campaign, "count": count}
            await connection.execute(
                text(statement), {name: values[name] for name in values if f":{name}" in statement}
            )
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        await connection.execute(text("vacuum analyze"))
    await engine.dispose()


def _walk(http: httpx.Client) -> tuple[list[str], list[str]]:
    """The path of every full page of the list, and every id."""
    paths, ids = [], []
    path = f"/v1/campaigns?limit={_PAGE}"
    while True:
        page = http.get(path).raise_for_status().json()
        paths.append(path)
        ids += [campaign["id"] for campaign in page["data"]]
        if page["next_cursor"] is None:
            return paths, ids
        path = f"/v1/campaigns?limit={_PAGE}&cursor={page['next_cursor']}"


def _settings(folder: Path, database_url: str, port: int) -> dict[str, str]:
    key_file = folder / "keys.json"
    key = base64.b64encode(os.urandom(32)).decode()
    key_file.write_bytes(orjson.dumps({"active": "k1", "keys": {"k1": key}}))
    return {
        **os.environ,
        "PLACARD_STATE": str(folder),
        "PLACARD_DATABASE_URL": database_url,
        "PLACARD_REDIS_URL": "redis://127.0.0.1:1/0",  # the API never connects to it
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_CONTROL_PORT": str(port),
        "PLACARD_INTERNAL_PORT": str(free_port()),
        "PLACARD_CONTROL_URL": f"http://127.0.0.1:{port}",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
        "PLACARD_MANAGEMENT_PER_KEY_S": "1000000",
    }
