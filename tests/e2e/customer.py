"""A customer of the running stack, who only knows the public interface."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from uuid import uuid4

import asyncpg
import httpx

from deploy.standalone.background import Background
from tests.support.waiting import PATIENCE_S

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
PASSWORD = "correct horse battery"
SCOPES = [
    "campaign:read",
    "campaign:write",
    "ad:read",
    "ad:write",
    "asset:read",
    "asset:write",
    "property:read",
    "reports:read",
]


class NotInTimeError(AssertionError):
    """What was waited for did not come."""


Found = TypeVar("Found")


async def eventually(
    ask: Callable[[], Awaitable[Found | None]], *, within_s: float = PATIENCE_S
) -> Found:
    """The first answer that is not None. It asks less often the longer it waits: most questions go to the stack."""
    deadline = time.monotonic() + within_s
    pause_s = 0.02
    while (found := await ask()) is None:
        if time.monotonic() > deadline:
            raise NotInTimeError(f"nothing within {within_s} s")
        await asyncio.sleep(pause_s)
        pause_s = min(1.2 * pause_s, 0.2)
    return found


@dataclass(slots=True)
class Customer:
    """An account with a property, a slot and keys in both environments."""

    demo: dict[str, Any]
    http: httpx.AsyncClient
    email: str
    account_id: str = ""
    property_id: str = ""
    slot_key: str = "top"
    slot_id: str = ""
    access_token: str = ""
    keys: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    async def sign_up(cls, demo: dict[str, Any], http: httpx.AsyncClient) -> Self:
        customer = cls(demo, http, f"{uuid4().hex}@customer.example")
        body = {"name": "Customer", "email": customer.email, "password": PASSWORD}
        made = await customer.call("POST", "/v1/accounts", body, token="")
        customer.account_id = made["account"]["id"]
        grant = {"grant_type": "password", "email": customer.email, "password": PASSWORD}
        signed_in = await customer.call("POST", "/v1/auth/token", grant, token="")
        customer.access_token = signed_in["access_token"]
        return customer

    async def set_up(self) -> None:
        """Property, slot, and a key of every kind in both environments."""
        made = await self.call(
            "POST",
            "/v1/properties",
            {"name": "Site", "kind": "web", "domain": f"{uuid4().hex}.example"},
        )
        self.property_id = made["id"]
        self.slot_id = await self.make_slot(self.slot_key)
        for environment in ("test", "live"):
            for prefix, kind in (("pk", "publishable"), ("sk", "secret")):
                body: dict[str, object] = {
                    "property_id": self.property_id,
                    "kind": kind,
                    "environment": environment,
                    "name": kind,
                }
                self.keys[f"{prefix}_{environment}"] = await self.call("POST", "/v1/sdk-keys", body)
            body = {
                "property_id": self.property_id,
                "environment": environment,
                "name": "ads",
                "scopes": SCOPES,
            }
            self.keys[f"ak_{environment}"] = await self.call("POST", "/v1/integration-keys", body)

    async def make_slot(self, key: str) -> str:
        """For banners of 300 by 250; gives its id."""
        body = {
            "property_id": self.property_id,
            "name": key,
            "key": key,
            "formats": ["banner"],
            "sizes": [{"width": 300, "height": 250}],
        }
        made = await self.call("POST", "/v1/slots", body)
        found: str = made["id"]
        return found

    async def run_campaign(
        self,
        environment: str,
        *,
        bid_cents: int = 250,
        slot_ids: tuple[str, ...] | None = None,
        pricing_model: str = "cpm",
        **terms: object,
    ) -> str:
        """An active campaign with an active banner, on *terms* of its own; gives its id.

        For the slots of *slot_ids*, all with an empty one; without it for the customer's first slot,
        so that no other slot's test meets it.
        """
        token = self.text(f"ak_{environment}")
        campaign = await self.call(
            "POST",
            "/v1/campaigns",
            {
                "name": "Run",
                "objective": "awareness",
                "pricing_model": pricing_model,
                "bid_cents": bid_cents,
                **terms,
            },
            token=token,
        )
        content = {
            "image_url": "https://advertiser.example/b.png",
            "width": 300,
            "height": 250,
            "alt": "Ad",
        }
        ad = await self.call(
            "POST",
            "/v1/ads",
            {
                "campaign_id": campaign["id"],
                "name": "Banner",
                "format": "banner",
                "click_url": "https://advertiser.example/landing?c={campaign_id}",
                "content": content,
                "slot_ids": list((self.slot_id,) if slot_ids is None else slot_ids),
            },
            token=token,
        )
        await self.call("POST", f"/v1/ads/{ad['id']}/activate", token=token)
        await self.call("POST", f"/v1/campaigns/{campaign['id']}/activate", token=token)
        found: str = campaign["id"]
        return found

    async def call(
        self, method: str, path: str, body: object = None, *, token: str | None = None
    ) -> dict[str, Any]:
        """A management call that must succeed; *token* defaults to the access token."""
        answer = await self.ask(method, path, body, token=token)
        assert answer.is_success, f"{method} {path} answered {answer.status_code}: {answer.text}"
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    async def ask(
        self, method: str, path: str, body: object = None, *, token: str | None = None
    ) -> httpx.Response:
        bearer = self.access_token if token is None else token
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return await self.http.request(
            method, self.demo["control_url"] + path, json=body, headers=headers
        )

    def text(self, name: str) -> str:
        found: str = self.keys[name]["key"]
        return found

    def edge(self, environment: str) -> str:
        found: str = self.demo[f"edge_{environment}_url"]
        return found

    async def serve(
        self,
        environment: str,
        *,
        key: str | None = None,
        slot: str | None = None,
        **params: str,
    ) -> httpx.Response:
        headers = {"X-Service-Key": key or self.text(f"pk_{environment}"), "User-Agent": BROWSER}
        return await self.http.get(
            f"{self.edge(environment)}/v1/serve",
            params={"slot": slot or self.slot_key, **params},
            headers=headers,
        )

    async def serve_until_filled(
        self, environment: str, campaign_id: str, *, slot: str | None = None
    ) -> dict[str, Any]:
        async def ask() -> dict[str, Any] | None:
            answer = await self.serve(environment, slot=slot)
            if answer.status_code != httpx.codes.OK:
                return None
            found: dict[str, Any] = answer.json()
            return found if found["campaign_id"] == campaign_id else None

        return await eventually(ask)

    async def track(
        self, environment: str, token: str, event: str = "impression"
    ) -> httpx.Response:
        headers = {"X-Service-Key": self.text(f"pk_{environment}"), "User-Agent": BROWSER}
        return await self.http.post(
            f"{self.edge(environment)}/v1/track",
            json={"token": token, "event": event},
            headers=headers,
        )

    async def events(self, environment: str, **query: str) -> list[dict[str, Any]]:
        """All events from the oldest kept, in the feed's order."""
        found: list[dict[str, Any]] = []
        cursor = "earliest"
        while True:
            parts = "&".join(
                f"{name}={value}" for name, value in {"cursor": cursor, **query}.items()
            )
            page = await self.call(
                "GET", f"/v1/integration/events?{parts}", token=self.text(f"ak_{environment}")
            )
            found += page["data"]
            if not page["has_more"]:
                return found
            cursor = page["next_cursor"]


async def spent_micros(stack: Background, campaign_id: str) -> int | None:
    """What the ledger charged a campaign; None where it has no row."""
    connection = await asyncpg.connect(stack.environment["PLACARD_DATABASE_URL"])
    try:
        found: int | None = await connection.fetchval(
            "select spent_micros from campaign_spend where campaign_id = $1", campaign_id
        )
        return found
    finally:
        await connection.close()
