"""What a customer has, made through the management API: properties, slots, keys, campaigns, ads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
from sqlalchemy import text

from common.values.ids import new_id
from control.storage.tables.assets import AssetRow
from tests.support.control_api import ControlApi, Person, bearer

CONTENT = {"image_url": "https://cdn.example.com/a.png", "width": 300, "height": 250, "alt": "A"}
CONTENT_OF: dict[str, dict[str, Any]] = {
    "banner": CONTENT,
    "html": {"html": "<b>Hi</b>", "width": 300, "height": 250},
    "native": {"title": "Hi"},
    "audio": {
        "media": [
            {
                "url": "https://cdn.example.com/a.mp3",
                "mime": "audio/mpeg",
                "bitrate_kbps": 128,
                "duration_ms": 15_000,
            }
        ],
        "companion": CONTENT,
    },
    "video": {
        "media": [
            {
                "url": "https://cdn.example.com/a.mp4",
                "mime": "video/mp4",
                "width": 640,
                "height": 360,
                "bitrate_kbps": 800,
                "duration_ms": 15_000,
            }
        ],
        "skip_offset_ms": 5_000,
    },
    "email": CONTENT | {"text_fallback": "Hi"},
}
"""Good content of every format."""
WRAPPER = {"wrapper": {"url": "https://ads.example.com/vast", "duration_ms": 15_000}}
"""Good content of a video ad that another ad server delivers."""
IMAGE = {"kind": "image", "mime": "image/png", "width": 300, "height": 250}
SOUND = {
    "kind": "audio",
    "mime": "audio/mpeg",
    "duration_ms": 15_000,
    "media": {"bitrate_kbps": 96},
}
CLIP = SOUND | {"kind": "video", "mime": "video/mp4", "width": 640, "height": 360}
"""Columns of uploaded files."""
SCOPES = ["campaign:read", "campaign:write", "ad:read", "ad:write", "property:read"]


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody who calls the API with *headers*; every `make_…` gives the object as it was answered."""

    api: ControlApi
    person: Person

    @property
    def headers(self) -> dict[str, str]:
        return self.person.headers

    async def post(
        self, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        return await self.api.http.post(path, json=body, headers=headers or self.headers)

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return await self.api.http.get(path, headers=headers or self.headers)

    async def patch(
        self, path: str, version: int, body: Any, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        every = {**(headers or self.headers), "If-Match": str(version)}
        return await self.api.http.patch(path, json=body, headers=every)

    async def make_property(self, **changes: Any) -> dict[str, Any]:
        body = {"name": "News", "kind": "web", "domain": "news.example.com"} | changes
        return made(await self.post("/v1/properties", body))

    async def make_slot(self, property_id: str, **changes: Any) -> dict[str, Any]:
        body = {"property_id": property_id, "name": f"Slot {uuid4().hex}", "formats": ["banner"]}
        return made(await self.post("/v1/slots", body | changes))

    async def make_campaign(
        self, property_id: str, environment: str = "live", **changes: Any
    ) -> dict[str, Any]:
        body = {
            "property_ids": [property_id],
            "name": "Spring",
            "objective": "traffic",
            "pricing_model": "cpm",
            "bid_cents": 200,
        }
        path = f"/v1/campaigns?environment={environment}"
        return made(await self.post(path, body | changes))

    async def make_ad(
        self, campaign_id: str, environment: str = "live", **changes: Any
    ) -> dict[str, Any]:
        body = {
            "campaign_id": campaign_id,
            "name": "Spring",
            "format": "banner",
            "content": CONTENT,
            "click_url": "https://shop.example.com/",
        }
        return made(await self.post(f"/v1/ads?environment={environment}", body | changes))

    async def make_site(self) -> str:
        """The id of a verified property with a slot for banners."""
        site_id = str((await self.make_property())["id"])
        await self.make_slot(site_id, name="Top")
        await self.execute("update properties set status = 'verified' where id = :id", id=site_id)
        return site_id

    async def make_running_campaign(self, property_id: str, **terms: Any) -> dict[str, Any]:
        """Active, with an active ad, whose id is ``ad_id``."""
        campaign = await self.make_campaign(property_id, **terms)
        ad = await self.make_ad(campaign["id"])
        await self.post(f"/v1/ads/{ad['id']}/activate")
        await self.post(f"/v1/campaigns/{campaign['id']}/activate")
        return campaign | {"ad_id": ad["id"]}

    async def slot_of(self, property_id: str) -> str:
        """The id of its newest slot."""
        found = await self.get(f"/v1/slots?property_id={property_id}")
        return str(found.json()["data"][0]["id"])

    async def execute(self, statement: str, **values: Any) -> None:
        """Straight into the database, for what no call brings about."""
        async with self.api.control.database.service() as session:
            await session.execute(text(statement), values)

    async def make_sdk_key(self, property_id: str, **changes: Any) -> dict[str, Any]:
        body = {
            "property_id": property_id,
            "kind": "publishable",
            "environment": "live",
            "name": "Website",
        }
        return made(await self.post("/v1/sdk-keys", body | changes))

    async def key_headers(
        self, property_id: str, environment: str = "live", scopes: list[str] | None = None
    ) -> dict[str, str]:
        """Those of a fresh integration key with the scopes of resources."""
        body = {
            "property_id": property_id,
            "environment": environment,
            "name": "System",
            "scopes": scopes or SCOPES,
        }
        return bearer(made(await self.post("/v1/integration-keys", body))["key"])


def made(answer: httpx.Response) -> dict[str, Any]:
    """The body of a 201; fails with what was answered instead."""
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def params_of(answer: httpx.Response) -> list[str]:
    """The fields a 422 names."""
    assert answer.status_code == 422, answer.text
    return [detail["param"] for detail in answer.json()["error"]["details"]]


async def an_asset(api: ControlApi, person: Person, **columns: Any) -> str:
    """Straight into the database, ready unless *columns* say otherwise: its id."""
    now = api.control.clock.now()
    digest = new_id().replace("-", "") * 2
    values: dict[str, Any] = {
        "id": new_id(),
        "account_id": person.account_id,
        "environment": "live",
        "filename": "a",
        "bytes": 10,
        "sha256": digest,
        "status": "ready",
        "object_name": f"{digest[:2]}/{digest[2:4]}/{digest}.png",
        "created_at": now,
        "updated_at": now,
    }
    row = AssetRow(**values | columns)
    async with api.control.database.service() as session:
        session.add(row)
    return row.id


async def campaigns_of(api: ControlApi, person: Person, environment: str) -> list[dict[str, Any]]:
    answer = await api.http.get(
        "/v1/campaigns", params={"environment": environment}, headers=person.headers
    )
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def demand_review(api: ControlApi, person: Person, *, demanded: bool = True) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set review_required = :demanded where id = :id"),
            {"demanded": demanded, "id": person.account_id},
        )
