"""An edge with one ad, its keys, and tokens for their three uses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from common.snapshot.model import Ad, SnapshotObject
from common.tracking.token import TokenTexts, sign_token
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.context import EdgeContext
from edge.ports import GeoLocation
from tests.support.builders import SIGNING_SECRET, a_key, a_snapshot, a_stock
from tests.support.tokens import a_payload, for_ad
from tests.support.worker import an_edge, served

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


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
