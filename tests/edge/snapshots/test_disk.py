"""What is kept on disk comes back proven, or not at all."""

import random
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.values.environment import Environment
from edge.snapshots.disk_store import GENERATIONS, SnapshotDiskStore
from tests.edge.snapshots.published import Published


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshot"


@pytest.fixture
def disk(folder: Path) -> Iterator[SnapshotDiskStore]:
    opened = SnapshotDiskStore(folder, Environment.LIVE)
    yield opened
    opened.close()


def read_again(folder: Path, environment: Environment = Environment.LIVE) -> tuple[int, str, int]:
    """(version, digest, heard) of what a restart finds."""
    loaded = SnapshotDiskStore(folder, environment).load()
    assert loaded is not None
    return loaded.state.version, loaded.state.digest, loaded.confirmed_ms


def test_an_empty_folder_has_no_snapshot(disk: SnapshotDiskStore) -> None:
    assert disk.load() is None


def test_a_base_is_read_back(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home", "sports")
    disk.write_base(published.full(), 77)
    assert read_again(folder) == (1, published.digest, 77)


def test_the_journal_is_applied_to_the_base(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    disk.append([published.put("sports"), published.delete("home")])
    beat = published.beat()
    disk.append([beat])
    assert read_again(folder) == (3, published.digest, beat.at_ms)


def test_files_are_for_their_owner_alone(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_three_generations_are_kept(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    for number in range(5):
        published.put("home", refresh_seconds=number + 1)
        disk.write_base(published.full(), 1)
    assert len(list(folder.glob("*.base"))) == GENERATIONS
    assert len(list(folder.glob("*.journal"))) == GENERATIONS
    assert read_again(folder)[0] == 5


def test_a_damaged_base_falls_back_to_the_one_before_and_its_journal(
    folder: Path, disk: SnapshotDiskStore
) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    disk.append([published.put("sports")])
    proven = published.version, published.digest
    published.put("news")
    disk.write_base(published.full(), 2)
    newest = max(folder.glob("*.base"))
    newest.write_bytes(newest.read_bytes()[:-3])
    loaded = SnapshotDiskStore(folder, Environment.LIVE).load()
    assert loaded is not None
    assert (loaded.state.version, loaded.state.digest) == proven
    assert [newest.name in reason for reason in loaded.damaged] == [True]


def test_a_torn_journal_is_applied_up_to_the_tear(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    disk.append([published.put("sports")])
    proven = published.version, published.digest, 1
    disk.append([published.put("news")])
    journal = max(folder.glob("*.journal"))
    journal.write_bytes(journal.read_bytes()[:-1])
    assert read_again(folder) == proven


def test_a_base_of_the_other_environment_is_skipped(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    assert SnapshotDiskStore(folder, Environment.TEST).load() is None


def test_a_half_written_base_is_ignored(folder: Path, disk: SnapshotDiskStore) -> None:
    published = Published()
    published.put("home")
    disk.write_base(published.full(), 1)
    (folder / "base.tmp").write_bytes(b"half")
    (folder / "notes.base").write_bytes(b"not ours")
    assert read_again(folder)[0] == 1


def test_a_full_disk_leaks_no_open_files(folder: Path, disk: SnapshotDiskStore) -> None:
    """It is tried four times a second: the machine's supervisor would soon have none left to start a worker with."""
    published = Published()
    published.put("home")
    folder.mkdir()
    before = _count_open_files()
    with _no_byte_to_be_written(), pytest.raises(OSError, match="File too large"):
        disk.write_base(published.full(), 1)
    assert _count_open_files() == before


@contextmanager
def _no_byte_to_be_written() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _count_open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def test_nothing_is_appended_without_a_base(disk: SnapshotDiskStore) -> None:
    assert not disk.has_journal
    with pytest.raises(OSError, match="base first"):
        disk.append([])


def _write_world(folder: Path) -> dict[int, str]:
    """Two generations with journals; the digest of every version that was published."""
    published = Published()
    digests = {}
    disk = SnapshotDiskStore(folder, Environment.LIVE)
    for generation in range(2):
        published.put(f"slot-{generation}")
        digests[published.version] = published.digest
        disk.write_base(published.full(), 1)
        for number in range(3):
            delta = published.put(f"slot-{generation}-{number}")
            digests[published.version] = published.digest
            disk.append([delta, published.beat()])
    disk.close()
    return digests


FLIPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0), st.integers(0, 7)), max_size=8)


def _flip_and_load(flips: list[tuple[int, int, int]]) -> None:
    with tempfile.TemporaryDirectory(prefix="pl-") as name:
        folder = Path(name)
        digests = _write_world(folder)
        files = sorted(folder.iterdir())
        for file, place, bit in flips:
            raw = bytearray(files[file].read_bytes())
            raw[place % len(raw)] ^= 1 << bit
            files[file].write_bytes(raw)
        loaded = SnapshotDiskStore(folder, Environment.LIVE).load()
        if not flips:
            assert loaded is not None
        if loaded is not None:
            assert loaded.state.digest == digests[loaded.state.version]


@settings(deadline=None)
@given(flips=FLIPS)
def test_flipped_bits_never_crash_and_never_serve_what_was_not_published(
    flips: list[tuple[int, int, int]],
) -> None:
    _flip_and_load(flips)


@pytest.mark.long
def test_a_thousand_single_flips_never_crash_and_always_leave_a_state() -> None:
    rng = random.Random(11)
    with tempfile.TemporaryDirectory(prefix="pl-") as name:
        folder = Path(name)
        digests = _write_world(folder)
        files = sorted(folder.iterdir())
        for _ in range(1_000):
            file = rng.choice(files)
            whole = file.read_bytes()
            raw = bytearray(whole)
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            file.write_bytes(raw)
            loaded = SnapshotDiskStore(folder, Environment.LIVE).load()
            assert loaded is not None
            assert loaded.state.digest == digests[loaded.state.version]
            file.write_bytes(whole)


@settings(deadline=None)
@given(keep=st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_files_cut_anywhere_never_crash_and_never_serve_what_was_not_published(
    keep: list[float],
) -> None:
    with tempfile.TemporaryDirectory(prefix="pl-") as name:
        folder = Path(name)
        digests = _write_world(folder)
        for file, share in zip(sorted(folder.iterdir()), keep, strict=True):
            raw = file.read_bytes()
            file.write_bytes(raw[: int(len(raw) * share)])
        loaded = SnapshotDiskStore(folder, Environment.LIVE).load()
        if loaded is not None:
            assert loaded.state.digest == digests[loaded.state.version]
