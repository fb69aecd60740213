"""The copy on disk follows the receiver."""

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from common.snapshot.messages import FullState
from common.values.environment import Environment
from edge.snapshots.disk_store import SnapshotDiskStore
from edge.snapshots.persister import SnapshotPersister, max_messages
from edge.snapshots.state import parse_state
from edge.snapshots.sync_state import SyncState
from tests.edge.snapshots.published import Published
from tests.support.waiting import until


@pytest.fixture
def published() -> Published:
    world = Published()
    world.put("home")
    return world


@pytest.fixture
def disk(tmp_path: Path) -> SnapshotDiskStore:
    return SnapshotDiskStore(tmp_path / "snapshot", Environment.TEST)


def kept(tmp_path: Path) -> tuple[int, str, int]:
    loaded = SnapshotDiskStore(tmp_path / "snapshot", Environment.TEST).load()
    assert loaded is not None
    return loaded.state.version, loaded.state.digest, loaded.confirmed_ms


async def test_received_snapshots_are_stored_as_a_base_and_then_as_deltas(
    published: Published, disk: SnapshotDiskStore, tmp_path: Path
) -> None:
    receiver = SyncState()
    keep = SnapshotPersister(disk, receiver)
    await keep.save()
    receiver.replace(parse_state(published.full()))
    await keep.save()
    receiver.take(published.put("sports"), 5_000)
    receiver.take(published.put("news"), 6_000)
    await keep.save()
    assert kept(tmp_path) == (3, published.digest, 6_000)
    assert len(list((tmp_path / "snapshot").glob("*.base"))) == 1
    disk.close()


async def test_a_confirmed_head_is_stored_now_and_then(
    published: Published, disk: SnapshotDiskStore, tmp_path: Path
) -> None:
    receiver = SyncState(parse_state(published.full()), confirmed_ms=1_000)
    keep = SnapshotPersister(disk, receiver)
    receiver.take(published.beat(), 20_000)
    await keep.save()
    assert not (tmp_path / "snapshot").exists()
    receiver.take(published.beat(), 31_000)
    await keep.save()
    assert kept(tmp_path) == (1, published.digest, 31_000)
    disk.close()


async def test_a_snapshot_read_from_disk_is_not_written_again(
    published: Published, disk: SnapshotDiskStore, tmp_path: Path
) -> None:
    keep = SnapshotPersister(disk, SyncState(parse_state(published.full()), confirmed_ms=1_000))
    await keep.save()
    assert not (tmp_path / "snapshot").exists()


async def test_a_disk_that_fails_is_counted_and_tried_again(
    published: Published, disk: SnapshotDiskStore, tmp_path: Path
) -> None:
    folder = tmp_path / "snapshot"
    folder.write_text("in the way", encoding="utf-8")
    receiver = SyncState()
    keep = SnapshotPersister(disk, receiver)
    receiver.replace(parse_state(published.full()))
    await keep.save()
    assert keep.failures == 1
    folder.unlink()
    await keep.save()
    assert kept(tmp_path)[:2] == (1, published.digest)
    disk.close()


class SlowDisk(SnapshotDiskStore):
    """Its first base waits until ``may_write``."""

    def __init__(self, folder: Path, environment: Environment) -> None:
        super().__init__(folder, environment)
        self.may_write = threading.Event()
        self.writing = 0
        self.most_at_once = 0

    async def is_writing(self) -> bool:
        return self.writing > 0

    def write_base(self, full: FullState, confirmed_ms: int) -> None:
        self.writing += 1
        self.most_at_once = max(self.most_at_once, self.writing)
        self.may_write.wait(10)
        super().write_base(full, confirmed_ms)
        self.writing -= 1


async def test_the_last_save_waits_for_a_cancelled_one(
    published: Published, tmp_path: Path
) -> None:
    disk = SlowDisk(tmp_path / "snapshot", Environment.TEST)
    receiver = SyncState()
    keep = SnapshotPersister(disk, receiver)
    receiver.replace(parse_state(published.full()))
    running = asyncio.create_task(keep.run())
    keep.changed()
    await until(disk.is_writing)
    receiver.take(published.put("sports"), 5_000)
    running.cancel()
    last = asyncio.create_task(_after(running, keep))
    await asyncio.sleep(0.05)
    disk.may_write.set()
    await last
    assert disk.most_at_once == 1
    assert kept(tmp_path)[:2] == (2, published.digest)
    disk.close()


async def _after(running: asyncio.Task[None], keep: SnapshotPersister) -> None:
    """As the supervisor ends."""
    await asyncio.gather(running, return_exceptions=True)
    await keep.save()


def test_a_larger_state_has_more_changes_per_base() -> None:
    assert [max_messages(count) for count in (0, 20_000, 300_000)] == [2_000, 2_000, 30_000]


async def test_a_change_is_written_when_it_is_adopted(
    published: Published, disk: SnapshotDiskStore, tmp_path: Path
) -> None:
    async def is_version(version: int) -> bool:
        loaded = SnapshotDiskStore(tmp_path / "snapshot", Environment.TEST).load()
        return loaded is not None and loaded.state.version == version

    receiver = SyncState()
    keep = SnapshotPersister(disk, receiver)
    running = asyncio.create_task(keep.run())
    try:
        receiver.replace(parse_state(published.full()))
        keep.changed()
        await until(partial(is_version, 1))
        receiver.take(published.put("sports"), 5_000)
        keep.changed()
        await until(partial(is_version, 2))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        disk.close()
