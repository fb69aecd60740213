"""Chooses an edge's adapters. The only file that names them."""

import asyncio
import random
import ssl
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import httpcore

from common.fetching.guarded_fetcher import FetchBudget, GuardedFetcher
from common.fetching.system_resolver import SystemResolver
from common.pacing.worker_leases import LeasedBudgets
from common.service.asset_folder import find_local_folder
from common.service.background_tasks import background_tasks
from common.service.channels import Channels
from common.service.kafka_connection import KafkaConnection
from common.service.secrets import Purpose
from common.service.tracing import Tracer, TracingSettings, open_tracer
from common.service.version import VERSION
from common.tracking.event import WriterId
from common.values.clock import Clock, SystemClock
from edge.adapters.http_snapshots import HttpSnapshotPull
from edge.adapters.maxmind_geo import MaxmindGeo
from edge.adapters.redis_audio_sessions import RedisAudioSessionStore
from edge.adapters.redis_caps import RedisCapStore
from edge.adapters.redis_leases import RedisLeaseStore
from edge.adapters.redis_limits import RedisLimitStore
from edge.adapters.redis_mails import RedisMailStore
from edge.adapters.redis_reconcile import RedisReplayRequests
from edge.adapters.redis_salts import RedisSaltStore
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.adapters.redis_stream_events import RedisStreamEventLog
from edge.adapters.redis_tokens import RedisTokenStore
from edge.audio.contents import ContentCache
from edge.audio.loudness import measure_loudness
from edge.audio.parts import AudioParts
from edge.audio.sounds import Sounds
from edge.context import EdgeContext, NullGeoReader
from edge.http.app import Lifetime
from edge.ports import EventLog, SnapshotPull, SnapshotSource
from edge.request.device import prepare_devices
from edge.runtime.gc_policy import GcPolicy
from edge.runtime.huge_pages import HugePages
from edge.runtime.metrics import EdgeMetrics
from edge.runtime.process_exit import SHIPPING_S
from edge.runtime.tracing import EdgeTracing
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient
from edge.spool.counters import Counters
from edge.spool.orphan import ship_orphans
from edge.spool.replay import Replayer
from edge.spool.retention import RetainedSegments
from edge.spool.ship import Shipper
from edge.spool.spool import Spool
from edge.state.asset_folder import AssetFolder
from edge.state.commit_file import open_commit_file
from edge.state.daily_salts import DailySalts
from edge.state.dead_leases import return_dead_leases
from edge.state.decision_recorder import DecisionRecorder
from edge.state.frequency_caps import FrequencyCaps
from edge.state.ip_lists import IpLists
from edge.state.lease_client import LeaseClient, begin_s
from edge.state.limit_store import LimitStore
from edge.state.mail_memory import watch_history
from edge.state.quota_exchange import QuotaExchange
from edge.state.rate_limit import RateLimiter
from edge.state.signing_keys import SigningSecrets
from edge.worker.worker_metrics import render_metrics

DECISIONS_FOLDER = "decisions"
"""A subfolder of the spool's folder. No writer's folder can have this name."""
_SAMPLE_ALL_PPM = 1_000_000
_MAX_DECISION_ENTRIES = 20_000
"""Maximum entries of one Redis stream."""
_DECISION_SYNC_MS = 100.0
_DECISION_DRAIN_S = 1.0


@asynccontextmanager
async def open_snapshot_source(
    settings: EdgeSettings,
) -> AsyncIterator[tuple[SnapshotSource, SnapshotPull | None]]:
    """
    For the supervisor: the snapshot source, and the fallback used when the source fails. Connects
    at the first call.
    """
    channels, environment = Channels(settings.namespace), settings.environment
    source = RedisSnapshotSource(settings.snapshot_redis, channels, environment)
    fallback = (
        HttpSnapshotPull(
            settings.snapshot_url,
            settings.key_ring(),
            environment,
            SystemClock(),
            tls=settings.internal_tls(),
        )
        if settings.snapshot_url
        else None
    )
    try:
        yield source, fallback
    finally:
        await source.close()
        if fallback is not None:
            await fallback.close()


def worker_lifetime(
    settings: EdgeSettings, link: FeedClient, tracing: TracingSettings | None = None
) -> Lifetime:
    """
    The lifetime of a worker's context. Opening does not wait for Redis or Kafka, and at most two seconds for the first
    leases. Closing keeps everything that was not shipped.
    """
    return partial(_open_worker, settings, link, tracing)


def find_retained(settings: EdgeSettings) -> RetainedSegments | None:
    """The store of shipped segments; None if they are not kept."""
    return RetainedSegments(settings.spool_dir) if settings.spool_retention_share else None


@asynccontextmanager
async def open_replayer(settings: EdgeSettings, clock: Clock) -> AsyncIterator[Replayer]:
    """For the supervisor. Connects at the first call, so Redis and Kafka may be unavailable."""
    channels = Channels(settings.namespace)
    requests = RedisReplayRequests(settings.redis_url, channels)
    log = _open_log(settings, channels)
    try:
        yield Replayer(settings, RetainedSegments(settings.spool_dir), requests, log, clock)
    finally:
        await log.close()
        await requests.close()


@asynccontextmanager
async def open_limit_store(settings: EdgeSettings) -> AsyncIterator[LimitStore]:
    """For the supervisor. Connects at the first call."""
    channels = Channels(settings.namespace)
    store = RedisLimitStore.open(settings.redis_url, channels, settings.environment)
    try:
        yield store
    finally:
        await store.close()


def read_traffic_lists(settings: EdgeSettings) -> IpLists:
    """Raises OSError, and ValueError for a malformed file."""
    return IpLists.read(settings.data_center_ranges, count_opens=settings.count_mail_opens)


@asynccontextmanager
async def _open_worker(
    settings: EdgeSettings, link: FeedClient, tracing: TracingSettings | None
) -> AsyncIterator[EdgeContext]:
    clock, channels = SystemClock(), Channels(settings.namespace)
    tokens = RedisTokenStore.open(settings.redis_url, channels, settings.environment, clock)
    log = _open_log(settings, channels)
    spool = await asyncio.to_thread(_open_spool, settings)
    counters = Counters(spool, clock, is_test=settings.environment.is_test)
    geo = None if settings.geo_database is None else MaxmindGeo(settings.geo_database)
    await asyncio.to_thread(_prepare_signals, geo)
    assets = find_local_folder(settings.assets_store, settings.state)
    caps = RedisCapStore.open(settings.redis_url, channels, settings.environment, clock)
    mails = RedisMailStore.open(settings.redis_url, channels, settings.environment, clock)
    salt_store = RedisSaltStore.open(settings.redis_url, channels, settings.environment)
    keys = settings.key_ring()
    commits_folder = settings.spool_dir / "leases"
    commits = None
    if not settings.environment.is_test:  # test traffic spends nothing
        commits = await asyncio.to_thread(open_commit_file, commits_folder, str(spool.writer))
    budgets = LeasedBudgets(commits=commits)
    folder = None if assets is None else AssetFolder(assets)
    tls = await asyncio.to_thread(httpcore.default_ssl_context)
    audio = _open_audio(settings, channels, clock, folder, tls)
    leases = RedisLeaseStore.open(settings.lease_redis, channels)
    lease_client = LeaseClient(budgets, leases, clock, str(spool.writer), commits)
    edge = EdgeContext(
        settings=settings,
        environment=settings.environment,
        clock=clock,
        rng=random.Random(),
        snapshots=link.handle,
        secrets=SigningSecrets(keys),
        budgets=budgets,
        limiter=RateLimiter(workers=settings.edge_workers),
        tokens=tokens,
        frequency_caps=FrequencyCaps(caps, keys.derive(Purpose.PEOPLE)),
        spool=spool,
        counters=counters,
        metrics=EdgeMetrics(),
        mails=mails,
        lists=await asyncio.to_thread(read_traffic_lists, settings),
        salts=DailySalts(salt_store, clock),
        geo=geo or NullGeoReader(),
        assets=folder,
        audio=audio,
    )
    link.render_metrics = partial(render_metrics, edge)
    link.trade_shares = QuotaExchange(edge.limiter, clock)
    # Test traffic spends nothing.
    link.leases = None if settings.environment.is_test else lease_client
    edge.next_grants = None if link.leases is None else lease_client.next_grants
    returning = partial(return_dead_leases, commits_folder, leases, clock)
    shipper = Shipper(spool, log)
    try:
        async with (
            open_tracer(tracing, "placard-edge") as tracer,
            open_recorder(settings, spool) as edge.decisions,
            background_tasks(
                shipper.run,
                counters.run,
                edge.frequency_caps.run,
                *(() if link.leases is None else (lease_client.run, returning)),
                edge.metrics.loop.run,
                edge.lists.run,
                edge.salts.run,
                partial(watch_history, mails, clock),
                GcPolicy(lambda: link.handle.states, edge.metrics).run,
                HugePages().run,
                partial(ship_orphans, settings.spool_dir, log, retained=find_retained(settings)),
                *(() if geo is None else (geo.run,)),
            ),
        ):
            if tracing is not None and tracer is not None:
                edge.decisions.leave_out(_begin_tracing(edge, tracing, tracer).sample_ppm)
            if link.leases is not None:
                await lease_client.settle(begin_s(_count_campaigns(link)))
            yield edge
            await counters.flush(last=True)
            await edge.frequency_caps.flush()
            if link.leases is not None:
                await lease_client.close()
            await shipper.drain(SHIPPING_S)
    finally:
        for opened in (spool, log, tokens, caps, leases, salt_store, audio, mails):
            await opened.close()
        if edge.assets is not None:
            edge.assets.close()


def _begin_tracing(edge: EdgeContext, tracing: TracingSettings, tracer: Tracer) -> EdgeTracing:
    """The decisions that are recorded are traced, unless a variable says how many."""
    ppm = _SAMPLE_ALL_PPM if edge.environment.is_test else edge.settings.decision_sample_ppm
    edge.tracing = EdgeTracing(tracer, tracing, edge.clock, default_ppm=ppm)
    return edge.tracing


def _count_campaigns(link: FeedClient) -> int:
    """The opening function must hold no snapshot itself: an old snapshot keeps all newer ones in memory."""
    snapshot = link.handle.find_current()
    return 0 if snapshot is None else len(snapshot.campaigns)


def _open_audio(
    settings: EdgeSettings,
    channels: Channels,
    clock: Clock,
    assets: AssetFolder | None,
    tls: ssl.SSLContext,
) -> AudioParts:
    fetcher = GuardedFetcher(
        SystemResolver(),
        user_agent=f"placard-edge/{VERSION}",
        accept="*/*",
        deadline_s=settings.audio_timeout_s,
        tls=tls,
        allowance=FetchBudget(networks=settings.source_networks),
    )
    contents = ContentCache(
        settings.audio_dir or settings.state / "audio",
        fetcher,
        clock,
        max_bytes=settings.audio_max_bytes,
        max_file_bytes=settings.audio_file_max_bytes,
        measure=measure_loudness,
    )
    return AudioParts(
        RedisAudioSessionStore.open(settings.redis_url, channels, settings.environment),
        contents,
        Sounds(assets, fetcher),
        settings.key_ring().derive(Purpose.PEOPLE),
        settings.audio_wait_ms / 1000,
    )


def _open_log(settings: EdgeSettings, channels: Channels) -> EventLog:
    return _open_kafka(settings, channels) or RedisStreamEventLog.open(settings.log_redis, channels)


def _open_kafka(settings: EdgeSettings, channels: Channels) -> EventLog | None:
    if not settings.kafka_bootstrap_servers:
        return None
    # Imported only with a broker: see `common.service.kafka_connection`.
    from edge.adapters.kafka_events import KafkaEventLog

    return KafkaEventLog(KafkaConnection.of(settings), channels.log_topic)


def _prepare_signals(geo: MaxmindGeo | None) -> None:
    """Loads lookup data before the first request. A geo file that cannot be read does not prevent serving."""
    prepare_devices()
    if geo is not None:
        geo.refresh()


def _open_spool(settings: EdgeSettings) -> Spool:
    """A new spool for this boot. Spools of dead workers are adopted and shipped separately."""
    return Spool.open(
        settings.spool_dir,
        WriterId(settings.edge_name, uuid.uuid4().hex),
        max_bytes=settings.spool_max_bytes,
        sync_ms=settings.spool_sync_ms,
        retained=find_retained(settings),
    )


@asynccontextmanager
async def open_recorder(settings: EdgeSettings, events: Spool) -> AsyncIterator[DecisionRecorder]:
    """
    Ships decision records while it is open. Opening and closing do not wait for the log; unshipped records stay on
    disk.
    """
    log = _open_decision_log(settings)
    spool = await asyncio.to_thread(_open_decision_spool, settings)
    # Nobody replays decision records: numbers of a segment that cannot be read need not stay open.
    shipper = Shipper(spool, log, replayable_s=0.0)
    folder = settings.spool_dir / DECISIONS_FOLDER
    sample_ppm = _SAMPLE_ALL_PPM if settings.environment.is_test else settings.decision_sample_ppm
    try:
        async with background_tasks(shipper.run, partial(ship_orphans, folder, log)):
            yield DecisionRecorder(spool, events, sample_ppm=sample_ppm)
            await shipper.drain(_DECISION_DRAIN_S)
    finally:
        await spool.close()
        await log.close()


def _open_decision_log(settings: EdgeSettings) -> EventLog:
    channels = Channels(settings.namespace).decisions
    return _open_kafka(settings, channels) or RedisStreamEventLog.open(
        settings.log_redis, channels, max_entries=_MAX_DECISION_ENTRIES, may_lose=True
    )


def _open_decision_spool(settings: EdgeSettings) -> Spool:
    return Spool.open(
        settings.spool_dir / DECISIONS_FOLDER,
        WriterId(settings.edge_name, uuid.uuid4().hex),
        max_bytes=settings.decision_spool_max_bytes,
        sync_ms=_DECISION_SYNC_MS,
    )
