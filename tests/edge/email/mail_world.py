"""An edge with a slot for mails, its ad, and a sender with its keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, Campaign, Size, Slot, SnapshotObject
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.context import EdgeContext
from edge.ports import MailStore
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.worker import an_edge, served

THUNDERBIRD = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0"


def a_mail_slot(**changes: Any) -> Slot:
    default = {"key": "newsletter", "formats": (Format.EMAIL,), "sizes": (Size(600, 200),)}
    return a_slot(**{**default, **changes})


def a_mail_ad(campaign: Campaign, **changes: Any) -> Ad:
    content = {
        "image_url": "https://cdn.example/shoes.png",
        "width": 600,
        "height": 200,
        "alt": "Shoes & more",
        "text_fallback": "Shoes, half price.",
    }
    plain = an_ad(campaign, format=Format.EMAIL, width=600, height=200)
    return replace(plain, **{"content": canonical_json(content), **changes})


@dataclass(frozen=True, slots=True)
class Sender:
    """``key``: secret. ``slot`` and ``ad``: those that a mailing gets unless a test adds others."""

    edge: EdgeContext
    http: httpx.AsyncClient
    slot: Slot
    ad: Ad
    key: str
    publishable: str

    async def post(self, body: Any, *, key: str | None = None, **headers: str) -> httpx.Response:
        """*body*: bytes as they are, anything else as JSON."""
        sent = {"Authorization": f"Bearer {key or self.key}", **headers}
        path = "/v1/email/prepare"
        if isinstance(body, bytes):
            return await self.http.post(path, content=body, headers=sent)
        return await self.http.post(path, json=body, headers=sent)

    async def prepare(self, **fields: Any) -> dict[str, Any]:
        """One recipient ``r1`` unless named otherwise."""
        response = await self.post(a_body(**fields))
        assert response.status_code == 200, response.text
        prepared: dict[str, Any] = response.json()
        return prepared

    async def open(self, url: str, *, agent: str = THUNDERBIRD) -> httpx.Response:
        """Loads an URL that was handed out."""
        path = url.removeprefix(self.edge.settings.edge_url)
        return await self.http.get(path, headers={"User-Agent": agent})


def a_body(**fields: Any) -> dict[str, Any]:
    default = {"slot": "newsletter", "send_id": "monday", "recipients": [{"ref": "r1"}]}
    body = {**default, **fields}
    return {name: value for name, value in body.items() if value is not None}


def a_mail_snapshot(
    slot: Slot, *more: SnapshotObject, environment: Environment = Environment.LIVE, **campaign: Any
) -> tuple[Snapshot, Ad, str, str]:
    """The snapshot, its ad, and the texts of a secret and a publishable key."""
    whole = a_campaign(environment=environment, **campaign)
    ad = a_mail_ad(whole, environment=environment)
    secret, secret_key = a_key(KeyKind.SECRET, environment)
    publishable, public_key = a_key(KeyKind.PUBLISHABLE, environment)
    objects = (slot, whole, ad, secret_key, public_key, *more)
    return a_snapshot(*objects, environment=environment), ad, secret.text, publishable.text


@asynccontextmanager
async def a_sender(
    folder: Path,
    *more: SnapshotObject,
    mails: MailStore | None = None,
    slot: Slot | None = None,
    environment: Environment = Environment.LIVE,
    **campaign: Any,
) -> AsyncIterator[Sender]:
    """*campaign*: changes of the ad's campaign."""
    slot = slot or a_mail_slot()
    snapshot, ad, secret, publishable = a_mail_snapshot(
        slot, *more, environment=environment, **campaign
    )
    async with an_edge(folder, snapshot, mails=mails) as edge, served(edge) as http:
        yield Sender(edge, http, slot, ad, secret, publishable)
