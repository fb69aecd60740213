"""An edge with one ad, its keys, tokens for their three uses, and conversions sent to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from common.snapshot.model import Ad, SnapshotObject
from common.tracking.event import ConversionRecord
from common.tracking.token import TokenPayload, TokenTexts, TokenUse, sign_token
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.context import EdgeContext
from edge.ports import GeoLocation
from edge.tracking.track_token import Verified, verify
from tests.support.builders import SIGNING_SECRET, a_key, a_snapshot, a_stock
from tests.support.tokens import a_payload, for_ad, text_at
from tests.support.worker import an_edge, served

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
CLICK_ID = "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77"
PREFETCHES = [
    {"Sec-Purpose": "prefetch"},
    {"Sec-Purpose": "prefetch;prerender"},
    {"Purpose": "prefetch"},
    {"X-Moz": "prefetch"},
    {"X-Purpose": "preview"},
]


class AllGermany:
    """Geo data in which each address is in Germany."""

    failures = built_s = edition = 0

    def find(self, address: str) -> GeoLocation:  # noqa: ARG002 - wherever that is
        return GeoLocation("de", None)


@dataclass(frozen=True, slots=True)
class TrackClients:
    edge: EdgeContext
    http: httpx.AsyncClient
    ad: Ad
    publishable: str
    secret: str

    def tokens(self, **changes: Any) -> TokenTexts:
        """Of one served ad; *changes* of its payload."""
        is_test = self.edge.environment.is_test
        return sign_token(
            a_payload(**{"is_test": is_test, **for_ad(self.ad), **changes}), SIGNING_SECRET
        )

    async def track(self, body: Any, *, key: str | None = None, **headers: str) -> httpx.Response:
        """*body*: bytes as they are, anything else as JSON. Sent by a browser with the publishable key."""
        sent = {"X-Service-Key": key or self.publishable, "User-Agent": BROWSER, **headers}
        if isinstance(body, bytes):
            return await self.http.post("/v1/track", content=body, headers=sent)
        return await self.http.post("/v1/track", json=body, headers=sent)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers={"User-Agent": BROWSER, **headers})


@asynccontextmanager
async def open_track_clients(
    spool_dir: Path,
    *more: SnapshotObject,
    environment: Environment = Environment.LIVE,
    spool_max_bytes: int = 1 << 22,
) -> AsyncIterator[TrackClients]:
    stock = a_stock(environment=environment)
    publishable, public_key = a_key(KeyKind.PUBLISHABLE, environment)
    secret, secret_key = a_key(KeyKind.SECRET, environment)
    objects = (*stock.objects, public_key, secret_key, *more)
    snapshot = a_snapshot(*objects, environment=environment)
    async with (
        an_edge(spool_dir, snapshot, spool_max_bytes=spool_max_bytes) as edge,
        served(edge) as http,
    ):
        yield TrackClients(edge, http, stock.ad, publishable.text, secret.text)


async def send_conversion(
    clients: TrackClients, body: Any, *, key: str | None = None, **headers: str
) -> httpx.Response:
    """*body*: bytes as they are, anything else as JSON; with the secret key. *headers* by names with underscores."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {"Authorization": f"Bearer {key or clients.secret}"} | sent
    if isinstance(body, bytes):
        return await clients.http.post("/v1/conversions", content=body, headers=sent)
    return await clients.http.post("/v1/conversions", json=body, headers=sent)


async def stored_conversions(edge: EdgeContext) -> list[ConversionRecord]:
    """What the spool holds of conversions, in the order in which they were stored."""
    records = await edge.spool.read(0, 1_000_000)
    return [record.body for record in records if isinstance(record.body, ConversionRecord)]


def shown_at(edge: EdgeContext, payload: TokenPayload, use: TokenUse = TokenUse.TRACK) -> Verified:
    """What `verify` makes of a rightly signed *payload* at *use*, now."""
    text = text_at(sign_token(payload, SIGNING_SECRET), use)
    return verify(edge, edge.snapshots.current(), text, use, edge.clock.now_ms())
