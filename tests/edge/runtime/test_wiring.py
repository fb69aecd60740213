"""A started edge runs on real parts."""

import base64
import json
import weakref
from pathlib import Path

import pytest

from common.snapshot.snapshot import Snapshot, apply_entries
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge import wiring
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient
from tests.support.builders import a_campaign, a_snapshot, an_ad


async def test_the_snapshot_source_is_redis_and_is_opened_without_it() -> None:
    settings = EdgeSettings(
        environment=Environment.TEST,
        redis_url="unix:///nobody/listens/here.sock",
        key_file=Path("key.json"),
        edge_url="http://127.0.0.1",
    )
    async with wiring.open_snapshot_source(settings) as (source, fallback):
        assert isinstance(source, RedisSnapshotSource)
        assert fallback is None


@pytest.mark.parametrize("environment", Environment)
async def test_mailings_wait_for_grants_where_budgets_are_spent(
    tmp_path: Path, environment: Environment
) -> None:
    link = FeedClient("edge-1/0", environment, SystemClock())
    async with wiring.worker_lifetime(_settings(tmp_path, environment), link)() as edge:
        assert (edge.next_grants is None) == environment.is_test


async def test_an_open_worker_keeps_no_snapshot_that_was_replaced(tmp_path: Path) -> None:
    link = FeedClient("edge-1/0", Environment.LIVE, SystemClock())
    first = _adopt_first(link)
    async with wiring.worker_lifetime(_settings(tmp_path, Environment.LIVE), link)():
        link.handle.swap(apply_entries(link.handle.current(), 2, []))
        assert first() is None


def _settings(tmp_path: Path, environment: Environment) -> EdgeSettings:
    key_file = tmp_path / "key.json"
    key = base64.b64encode(bytes(32)).decode()
    key_file.write_text(json.dumps({"active": "k1", "keys": {"k1": key}}), encoding="utf-8")
    return EdgeSettings(
        environment=environment,
        redis_url="unix:///nobody/listens/here.sock",
        key_file=key_file,
        edge_url="https://edge.example",
        spool_dir=tmp_path / "spool",
    )


def _adopt_first(link: FeedClient) -> "weakref.ref[Snapshot]":
    campaign = a_campaign()
    snapshot = a_snapshot(campaign, an_ad(campaign), environment=Environment.LIVE)
    link.handle.adopt(snapshot, confirmed_ms=1 << 60)
    return weakref.ref(snapshot)
