"""An edge with an audio slot and ads of uploaded sounds, and a web server that has content."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, AudioLimits, Campaign, SnapshotObject
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.ports import AudioSessionStore
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.memory_audio_sessions import MemoryAudioSessionStore
from tests.support.raw_http import RawAnswer, ask, get
from tests.support.sounds import an_uploaded_sound

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"
ASSETS = "https://assets.example/assets"
FILE_BREAKS = [
    {"id": "pre", "type": "pre"},
    {"id": "mid", "type": "mid", "offset_ms": 9_700},
    {"id": "post", "type": "post"},
]


@dataclass(slots=True)
class Origin:
    """Serves ``files`` by path, and waits with those in ``held`` until they are released."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@dataclass(slots=True)
class StitchingEdge:
    edge: RunningEdge
    key: str
    publishable: str
    origin: Origin

    async def post(self, body: Any, *headers: str, key: str | None = None) -> RawAnswer:
        raw = body if isinstance(body, bytes) else orjson.dumps(body)
        lines = [
            "POST /v1/audio/stitch HTTP/1.1",
            "Host: test",
            f"Authorization: Bearer {key or self.key}",
            "Content-Type: application/json",
            f"Content-Length: {len(raw)}",
            *headers,
            "Connection: close",
        ]
        return await ask(self.edge.port, ("\r\n".join(lines) + "\r\n\r\n").encode() + raw)

    async def stitch(self, body: Any) -> Any:
        answer = await self.post(body)
        assert answer.status == 200, answer.body
        return answer.json

    async def get(self, url: str, *headers: str, method: str = "GET") -> RawAnswer:
        path = url.removeprefix("https://edge.example")
        agent = f"User-Agent: {BROWSER}"
        return await ask(self.edge.port, get(path, agent, *headers, method=method))


def a_sound_ad(
    name: str, media: list[tuple[str, int]], *, bid_cents: int = 100, **changes: Any
) -> tuple[Campaign, Ad]:
    """*media*: pairs of URL and length in ms."""
    campaign = a_campaign(bid_cents=bid_cents)
    content = {
        "media": [
            {"url": url, "mime": "audio/mpeg", "bitrate_kbps": 128, "duration_ms": ms}
            for url, ms in media
        ],
        "companion": None,
    }
    ad = an_ad(
        campaign,
        name=name,
        format=Format.AUDIO,
        width=None,
        height=None,
        content=canonical_json(content),
        advertiser_domain=f"{name}.example",
        click_url=f"https://{name}.example/",
        **changes,
    )
    return campaign, ad


def an_uploaded_ad(
    folder: Path,
    name: str,
    *,
    seconds: float = 5.0,
    bid_cents: int = 100,
    is_silent: bool = False,
    **changes: Any,
) -> tuple[Campaign, Ad]:
    url = f"{ASSETS}/{an_uploaded_sound(folder, seconds, is_silent=is_silent)}"
    return a_sound_ad(name, [(url, round(seconds * 1000))], bid_cents=bid_cents, **changes)


@asynccontextmanager
async def stitching_edge(
    folder: Path,
    *objects: SnapshotObject,
    limits: AudioLimits | None = None,
    wait_ms: int = 5000,
    environment: Environment = Environment.LIVE,
    **slot: Any,
) -> AsyncIterator[StitchingEdge]:
    """*wait_ms*: for sources; long, because the machine may be busy."""
    secret, secret_key = a_key(KeyKind.SECRET, environment)
    public, public_key = a_key(KeyKind.PUBLISHABLE, environment)
    place = a_slot(key="podcast", formats=(Format.AUDIO,), audio=limits, **slot)
    snapshot = a_snapshot(place, secret_key, public_key, *objects, environment=environment)
    settings: dict[str, Any] = {
        "assets_store": folder.as_uri(),
        "audio_networks": ("127.0.0.0/8",),
        "audio_wait_ms": wait_ms,
    }
    async with an_origin() as origin, running_edge(snapshot, **settings) as edge:
        yield StitchingEdge(edge, secret.text, public.text, origin)


@asynccontextmanager
async def an_origin() -> AsyncIterator[Origin]:
    origin = Origin()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ")[1].decode()
        origin.requested.append(path)
        if path in origin.held:
            await origin.held[path].wait()
        body = origin.files.get(path)
        status = "404 Not Found" if body is None else "200 OK"
        body = body or b""
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nAccess-Control-Allow-Origin: *"
        writer.write(f"{head}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        for event in origin.held.values():
            event.set()
        server.close()
        await server.wait_closed()


def a_file(edge: StitchingEdge, path: str = "/episode.mp3", **changes: Any) -> dict[str, Any]:
    content = {"url": edge.origin.url(path), "kind": "progressive"}
    return {
        "slot": "podcast",
        "breaks": FILE_BREAKS,
        "content": content,
        "output": "file",
        **changes,
    }


def names_of(sessions: AudioSessionStore) -> list[str]:
    assert isinstance(sessions, MemoryAudioSessionStore)
    return sessions.names()
