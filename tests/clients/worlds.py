"""Edges in the states that the conformance cases speak of: what a real one answers, by an answer's name."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import orjson

from common.snapshot.codec import canonical_json
from common.snapshot.model import FrequencyCap, RateLimits, SnapshotObject
from common.values.enums import EventKind, Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.clients.cases import cases
from tests.support.builders import (
    a_campaign,
    a_key,
    a_property,
    a_slot,
    a_snapshot,
    an_account,
    an_ad,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, ask

TEST, LIVE = Environment.TEST, Environment.LIVE
_PICTURE: Final = {
    "image_url": "https://brand.example/a.png",
    "width": 300,
    "height": 250,
    "alt": "Shoes",
}
_MEDIUM: Final = {"url": "https://brand.example/a.mp4", "mime": "video/mp4", "duration_ms": 5000}
_CONTENTS: Final[dict[str, tuple[Format, dict[str, Any]]]] = {
    "banner": (Format.BANNER, _PICTURE),
    "native": (
        Format.NATIVE,
        {"title": "Shoes", "body": "Light.", "cta": "See", "sponsored_by": "Brand"},
    ),
    "html": (
        Format.HTML,
        {"html": '<a href="{click_url}">Shoes</a>', "width": 300, "height": 250},
    ),
    "audio": (Format.AUDIO, {"media": [{**_MEDIUM, "mime": "audio/mp4"}], "companion": _PICTURE}),
    "video": (Format.VIDEO, {"media": [_MEDIUM]}),
    "email": (Format.EMAIL, {**_PICTURE, "text_fallback": "Shoes"}),
}
_CAP: Final = FrequencyCap(scope="campaign", event=EventKind.IMPRESSION, limit=3, window_s=86_400)
_UNLINKED: Final[dict[str, Any]] = {"click_url": None, "advertiser_domain": None}
_MANY: Final = 20
_BEYOND_MS: Final = 700_000


class Worlds:
    """Opened when asked for, closed together."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._key, known = a_key(environment=TEST)
        self._live_key, live_known = a_key(environment=LIVE)
        self._secret_key, secret_known = a_key(KeyKind.SECRET, TEST)
        self._stock: list[SnapshotObject] = [known, secret_known, *stock(TEST)]
        self._live: list[SnapshotObject] = [live_known, a_slot(key="empty")]
        self._edge: RunningEdge | None = None
        self._server_requests = {
            case["answers"][call][-1]: case["expect"]["requests"][-1]
            for case in cases("servers")
            for call in case["answers"]
        }

    @property
    def key(self) -> str:
        """The publishable key of test."""
        return self._key.text

    async def edge(self) -> RunningEdge:
        """Of test, with a slot for each format under its name, ``capped``, ``tracked``, and ``unlinked_…``."""
        if self._edge is None:
            self._edge = await self._open(a_snapshot(*self._stock, environment=TEST))
        return self._edge

    async def serve(self, query: str) -> RawAnswer:
        return await (await self.edge()).serve(query, self._key.text)

    async def track(self, token: str, event: str, **conversion: Any) -> RawAnswer:
        """As the web library sends it: the key in the query, the body as text."""
        body = orjson.dumps({"token": token, "event": event, **conversion})
        head = (
            f"POST /v1/track?key={self._key.text} HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\n"
            f"User-Agent: Mozilla/5.0 Chrome/150.0\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        return await ask((await self.edge()).port, head.encode() + body)

    async def _send(self, request: Any) -> RawAnswer:
        """A request of a server library, with the secret key."""
        body = orjson.dumps(request["body"])
        head = (
            f"{request['method']} {request['path']} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self._secret_key.text}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        return await ask((await self.edge()).port, head.encode() + body)

    async def answer(self, name: str) -> RawAnswer:
        """What a real edge says where the case's answer of that name is given."""
        special: dict[str, Callable[[], Awaitable[RawAnswer]]] = {
            "features": self._features,
            "features_stopped": self._stopped,
            "features_refreshing": self._refreshing,
            "frame": self._frame,
            "no_fill": lambda: self.serve("slot=demo-never-fill"),
            "no_fill_silent": self._silent,
            "slot_not_found": lambda: self.serve("slot=nowhere"),
            "rate_limited": self._rate_limited,
            "unavailable": self._unavailable,
            "invalid_key": self._invalid_key,
            "key_revoked": self._revoked,
            "counted": lambda: self._tracked("counted"),
            "duplicate": lambda: self._tracked("duplicate"),
            "token_expired": lambda: self._tracked("expired"),
            "token_invalid": lambda: self.track("not a token", "impression"),
        }
        if name in special:
            return await special[name]()
        if name in self._server_requests:
            return await self._send(self._server_requests[name])
        return await self.serve(f"slot={name}&seen=none")

    async def _open(self, snapshot: Any, **settings: Any) -> RunningEdge:
        return await self._stack.enter_async_context(running_edge(snapshot, **settings))

    async def _features(self) -> RawAnswer:
        return await (await self.edge()).get(f"/v1/features?key={self._key.text}")

    async def _frame(self) -> RawAnswer:
        click_url = (await self.serve("slot=html")).json["click_url"]
        return await (await self.edge()).get(f"/v1/frame/{click_url.rpartition('/')[2]}")

    async def _stopped(self) -> RawAnswer:
        edge = await self._open(a_snapshot(*self._live, an_account(stopped=True)))
        return await edge.get(f"/v1/features?key={self._live_key.text}")

    async def _refreshing(self) -> RawAnswer:
        key, known = a_key(environment=TEST)
        slot = a_slot(key="banner", formats=(Format.BANNER,), refresh_seconds=30)
        edge = await self._open(a_snapshot(known, slot, environment=TEST))
        return await edge.get(f"/v1/features?key={key.text}")

    async def _silent(self) -> RawAnswer:
        edge = await self._open(a_snapshot(*self._live))
        return await edge.serve("slot=empty", self._live_key.text)

    async def _rate_limited(self) -> RawAnswer:
        tight = a_property(rate_limits=RateLimits(1, 1, 1, 1))
        edge = await self._open(a_snapshot(*self._stock, tight, environment=TEST))
        for _ in range(_MANY):
            answer = await edge.serve("slot=banner", self._key.text)
        return answer

    async def _unavailable(self) -> RawAnswer:
        edge = await self._open(None)
        return await edge.serve("slot=banner", self._live_key.text)

    async def _invalid_key(self) -> RawAnswer:
        unknown, _ = a_key(environment=TEST)
        return await (await self.edge()).serve("slot=banner", unknown.text)

    async def _revoked(self) -> RawAnswer:
        key, known = a_key(environment=TEST, revoked_at_ms=1)
        edge = await self._open(a_snapshot(*stock(TEST), known, environment=TEST))
        return await edge.serve("slot=banner", key.text)

    async def _tracked(self, how: str) -> RawAnswer:
        token = (await self.serve("slot=banner")).json["track_token"]
        if how == "duplicate":
            await self.track(token, "impression")
        if how == "expired":
            (await self.edge()).clock.advance(ms=_BEYOND_MS)
        return await self.track(token, "impression")


@asynccontextmanager
async def worlds() -> AsyncIterator[Worlds]:
    async with AsyncExitStack() as stack:
        yield Worlds(stack)


def stock(environment: Environment) -> list[SnapshotObject]:
    objects: list[SnapshotObject] = []
    for key, (ad_format, content) in _CONTENTS.items():
        objects += _fill(environment, key, ad_format, content)
    objects += _fill(environment, "capped", Format.BANNER, _PICTURE, caps=(_CAP,))
    objects += _fill(
        environment,
        "tracked",
        Format.BANNER,
        _PICTURE,
        impression_trackers=("https://count.example/seen.gif",),
        click_trackers=("https://count.example/clicked.gif",),
    )
    for key in ("banner", "native"):
        objects += _fill(environment, f"unlinked_{key}", *_CONTENTS[key], **_UNLINKED)
    bare = {"html": "<p>Shoes</p>", "width": 300, "height": 250}
    objects += _fill(environment, "unlinked_html", Format.HTML, bare, **_UNLINKED)
    return objects


def _fill(
    environment: Environment,
    key: str,
    ad_format: Format,
    content: dict[str, Any],
    caps: tuple[FrequencyCap, ...] = (),
    **ad: Any,
) -> list[SnapshotObject]:
    slot = a_slot(key=key, formats=(ad_format,))
    campaign = a_campaign(environment=environment, frequency_caps=caps)
    sizes = {"width": content.get("width"), "height": content.get("height")}
    return [
        slot,
        campaign,
        an_ad(
            campaign,
            format=ad_format,
            content=canonical_json(content),
            slot_ids=(slot.id,),
            **sizes,
            **ad,
        ),
    ]
