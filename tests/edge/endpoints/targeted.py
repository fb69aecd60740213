"""A test edge on which one banner is targeted, and what it answers."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.values.environment import Environment
from common.values.keys import KeyKind
from deploy.standalone.geo import write_geo_database
from edge.adapters.maxmind_geo import MaxmindGeo
from tests.support.builders import a_campaign, a_key, a_property, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer

WINDOWS_EDGE = (
    "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"
)
DESKTOP = {"device": {"types": ["desktop"]}}


@dataclass(slots=True)
class World:
    """A test edge with one targeted banner on slot ``top``."""

    edge: RunningEdge
    pk: str
    sk: str

    async def ask(self, query: str = "", *headers: str) -> RawAnswer:
        return await self.edge.serve(f"slot=top&{query}", self.pk, *headers)

    async def ask_by_secret(self, query: str, *headers: str) -> RawAnswer:
        bearer = f"Authorization: Bearer {self.sk}"
        return await self.edge.get(f"/v1/serve?slot=top&{query}", bearer, *headers)

    def place(self, folder: Path) -> None:
        """Gives the edge the demo's geo database."""
        path = folder / "geo.mmdb"
        write_geo_database(path)
        geo = MaxmindGeo(path)
        geo.refresh()
        self.edge.context.geo = geo


@asynccontextmanager
async def a_world(
    targeting: dict[str, Any], ad_targeting: dict[str, Any] | None = None, **prop: Any
) -> AsyncIterator[World]:
    environment = Environment.TEST
    publishable, pk = a_key(KeyKind.PUBLISHABLE, environment)
    secret, sk = a_key(KeyKind.SECRET, environment)
    campaign = a_campaign(environment=environment, targeting=json.dumps(targeting))
    ad = an_ad(campaign, targeting=json.dumps(ad_targeting) if ad_targeting else "")
    objects = (a_property(**prop), pk, sk, a_slot(), campaign, ad)
    async with running_edge(a_snapshot(*objects, environment=environment)) as edge:
        yield World(edge, publishable.text, secret.text)


def outcome(answer: RawAnswer) -> str:
    """``fill``, or the reason there was none."""
    return "fill" if answer.status == 200 else answer.headers["x-no-fill-reason"]
