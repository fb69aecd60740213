"""Who calls a real process of the API: everything over HTTP, as a customer would."""

from typing import Any
from uuid import uuid4

import httpx

from common.contract.permissions import SCOPES

PASSWORD = "none that stands in any example"


async def sign_up(http: httpx.AsyncClient) -> str:
    """The access token of the owner of a new account."""
    email = f"{uuid4().hex}@people.example"
    person = {"name": "Acme", "email": email, "password": PASSWORD}
    (await http.post("/v1/accounts", json=person)).raise_for_status()
    grant = {"grant_type": "password", "email": email, "password": PASSWORD}
    return str((await http.post("/v1/auth/token", json=grant)).json()["access_token"])


async def made(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The object that *path* made of *body*; *http* is signed in."""
    answer = await http.post(path, json=body)
    assert answer.status_code == httpx.codes.CREATED, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def make_key(http: httpx.AsyncClient) -> str:
    """The text of an integration key with every scope, on a property of its own."""
    site = await made(
        http, "/v1/properties", {"name": "Site", "kind": "web", "domain": "site.example.com"}
    )
    body = {
        "property_id": site["id"],
        "environment": "live",
        "name": "System",
        "scopes": [scope.value for scope in SCOPES],
    }
    return str((await made(http, "/v1/integration-keys", body))["key"])
