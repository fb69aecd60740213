"""A whole edge in this process: the real app on a real port, its token store in memory, its spool in a folder."""

import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sanic import Sanic

from common.fetching.guarded_fetcher import FetchBudget, GuardedFetcher
from common.fetching.system_resolver import SystemResolver
from common.http.protocol import StrictHttpProtocol
from common.service.asset_folder import find_local_folder
from common.snapshot.snapshot import Snapshot
from common.tracking.event import WriterId
from common.values.clock import FixedClock
from edge.audio.contents import ContentCache
from edge.audio.parts import AudioParts
from edge.audio.sounds import Sounds
from edge.context import EdgeContext
from edge.http.route_table import create_app
from edge.ports import CapStore
from edge.runtime.metrics import EdgeMetrics
from edge.settings import EdgeSettings
from edge.snapshots.handle import SnapshotHandle
from edge.spool.counters import Counters
from edge.spool.spool import Spool
from edge.state.asset_folder import AssetFolder
from edge.state.frequency_caps import FrequencyCaps
from edge.state.rate_limit import RateLimiter
from edge.state.signing_keys import SigningSecrets
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.memory_audio_sessions import MemoryAudioSessionStore
from tests.support.memory_caps import MemoryCapStore
from tests.support.memory_mails import MemoryMailStore
from tests.support.memory_tokens import MemoryTokenStore
from tests.support.raw_http import RawAnswer, ask, get, listening


@dataclass(slots=True)
class RunningEdge:
    """``context`` may be changed between calls: the snapshot adopted, the clock advanced."""

    app: Sanic[Any, Any]
    context: EdgeContext
    clock: FixedClock
    port: int

    def adopt(self, snapshot: Snapshot) -> None:
        self.context.snapshots.adopt(snapshot, confirmed_ms=self.clock.now_ms())

    async def get(self, path: str, *headers: str, method: str = "GET") -> RawAnswer:
        return await ask(self.port, get(path, *headers, method=method))

    async def serve(self, query: str, key: str, *headers: str) -> RawAnswer:
        """With a publishable key in the header."""
        return await self.get(f"/v1/serve?{query}", f"X-Service-Key: {key}", *headers)

    def counted(self) -> dict[str, int]:
        """Decisions by outcome."""
        return dict(self.context.metrics.decisions)


def _audio(
    settings: EdgeSettings, clock: FixedClock, assets: AssetFolder | None, folder: Path
) -> AudioParts:
    """As wiring makes it, with sessions in memory."""
    fetcher = GuardedFetcher(
        SystemResolver(),
        user_agent="test",
        allowance=FetchBudget(networks=settings.source_networks),
    )
    contents = ContentCache(
        folder / "audio",
        fetcher,
        clock,
        max_bytes=settings.audio_max_bytes,
        max_file_bytes=settings.audio_file_max_bytes,
    )
    return AudioParts(
        MemoryAudioSessionStore(clock),
        contents,
        Sounds(assets, fetcher),
        bytes(32),
        settings.audio_wait_ms / 1000,
    )


@asynccontextmanager
async def running_edge(snapshot: Snapshot | None, **settings: Any) -> AsyncIterator[RunningEdge]:
    """
    *snapshot* None: nothing was adopted yet. Its environment is the edge's (live where there is none).
    ``fast_path=False`` among the settings: Sanic answers every call. ``caps``: the store of what people saw.
    ``tracing``: an `EdgeTracing`.
    """
    tracing = settings.pop("tracing", None)
    fast_path = settings.pop("fast_path", True)
    caps = settings.pop("caps", None) or MemoryCapStore()
    clock = FixedClock(NOW_MS)
    with tempfile.TemporaryDirectory(prefix="pl-") as folder:
        context = _context(snapshot, clock, caps, Path(folder), settings)
        context.tracing = tracing

        @asynccontextmanager
        async def lifetime() -> AsyncIterator[EdgeContext]:
            yield context
            await context.spool.close()
            if context.audio is not None:
                await context.audio.close()
            if context.assets is not None:
                context.assets.close()

        app = create_app(lifetime, is_traced=tracing is not None)
        if not fast_path:
            app.config.update(PROTOCOL=StrictHttpProtocol)
        async with listening(app) as listener:
            edge = RunningEdge(app, context, clock, listener.port)
            if snapshot is not None:
                edge.adopt(snapshot)
            yield edge


def _context(
    snapshot: Snapshot | None,
    clock: FixedClock,
    caps: CapStore,
    folder: Path,
    settings: dict[str, Any],
) -> EdgeContext:
    environment = "live" if snapshot is None else snapshot.environment.value
    given: dict[str, Any] = {
        "environment": environment,
        "edge_url": "https://edge.example",
        "redis_url": "redis://nowhere",
        "key_file": folder / "keys",
        "edge_workers": 1,
    }
    made = EdgeSettings(**given | settings)
    spool = Spool.open(folder / "spool", WriterId("edge", "0" * 32), max_bytes=1 << 20, sync_ms=0)
    assets = find_local_folder(made.assets_store, made.state)
    asset_folder = None if assets is None else AssetFolder(assets)
    return EdgeContext(
        settings=made,
        environment=made.environment,
        clock=clock,
        rng=random.Random(1),
        snapshots=SnapshotHandle(),
        secrets=SigningSecrets(KEY_RING),
        limiter=RateLimiter(workers=made.edge_workers),
        tokens=MemoryTokenStore(clock),
        frequency_caps=FrequencyCaps(caps, bytes(32)),
        spool=spool,
        counters=Counters(spool, clock, is_test=made.environment.is_test),
        metrics=EdgeMetrics(),
        mails=MemoryMailStore(),
        assets=asset_folder,
        audio=_audio(made, clock, asset_folder, folder),
    )
