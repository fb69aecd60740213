"""
The snapshot protocol as a machine of many steps: whatever is lost, repeated, overtaken, torn, restarted or restored, a
worker decides by what was published, never goes back, and ends at the head.
"""

import random
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import (
    Delta,
    FullState,
    Heartbeat,
    encode_delta,
    encode_full,
    encode_heartbeat,
    parse_full,
    parse_full_header,
    parse_message,
)
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot, parse_entries
from common.values.environment import Environment
from edge.snapshots.disk_store import SnapshotDiskStore
from edge.snapshots.state import parse_state
from edge.snapshots.sync_state import SyncResult, SyncState
from tests.edge.snapshots.published import Published

KEYS = ("home", "sports", "news", "weather")
Place = tuple[str, int]


class Worker:
    """Adopts what a feed sends it, as `edge.snapshots.feed_client` does."""

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None

    @property
    def place(self) -> Place:
        return ("", 0) if self.snapshot is None else (self.snapshot.epoch, self.snapshot.version)

    def follow(self, receiver: SyncState) -> None:
        """What the machine holds, by deltas where they are kept."""
        state = receiver.state
        if state is None or self.place == (state.epoch, state.version):
            return
        deltas = receiver.find_deltas(*self.place)
        if self.snapshot is None or deltas is None:
            full = state.to_full()
            objects = parse_entries(full.entries)
            self.snapshot = build_snapshot(Environment.LIVE, full.epoch, full.version, objects)
            return
        for delta in deltas:
            self.snapshot = apply_entries(self.snapshot, delta.version, delta.entries)


class Protocol(RuleBasedStateMachine):
    """The channel is a list of all messages so far: any of them may arrive at any time, whole or cut short."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="pl-", dir="/tmp")
        self.disk = SnapshotDiskStore(Path(self.folder.name), Environment.LIVE)
        self.published = Published()
        self.digests: dict[Place, str] = {}
        self.slots: dict[Place, dict[str, int | None]] = {}
        self.order: list[str] = [self.published.epoch]
        self.rung: list[bytes] = []
        self.fulls: list[FullState] = []
        self.receiver = SyncState()
        self.workers = [Worker(), Worker()]
        self.furthest: dict[str, int] = {}
        self._say(self.published.put("home"))
        self._put_full()

    @rule(key=st.sampled_from(KEYS), refresh=st.integers(1, 99))
    def change(self, key: str, refresh: int) -> None:
        self._say(self.published.put(key, refresh_seconds=refresh))

    @rule(key=st.sampled_from(KEYS))
    def delete(self, key: str) -> None:
        self._say(self.published.delete(key))

    @rule()
    def beat(self) -> None:
        self.rung.append(encode_heartbeat(self.published.beat()))

    @rule()
    def put_full(self) -> None:
        self._put_full()

    @rule(back=st.integers(0, 30), times=st.integers(1, 3))
    def hear(self, back: int, times: int) -> None:
        """Late, twice, or before what came before it; what follows a miss is a pull, now or at some time."""
        for _ in range(times):
            self._receive(self.rung[-1 - back % len(self.rung)])

    @rule(back=st.integers(0, 30), place=st.integers(0, 10_000), bit=st.integers(0, 7))
    def receive_torn(self, back: int, place: int, bit: int) -> None:
        raw = bytearray(self.rung[-1 - back % len(self.rung)])
        raw[place % len(raw)] ^= 1 << bit
        self._receive(bytes(raw))

    @rule(back=st.integers(0, 5))
    def pull(self, back: int) -> None:
        """A source that may be an old one: a publisher that was followed by another still writes there."""
        self._take_full(self.fulls[-1 - back % len(self.fulls)])

    @rule()
    def pull_deltas(self) -> None:
        self._pull_deltas()

    @rule(which=st.integers(0, 1))
    def feed(self, which: int) -> None:
        """A slow one is fed less often, and more at once."""
        self.workers[which].follow(self.receiver)

    @rule(which=st.integers(0, 1))
    def kill_worker(self, which: int) -> None:
        self.workers[which] = Worker()

    @rule()
    def keep(self) -> None:
        if self.receiver.state is not None:
            self.disk.write_base(self.receiver.state.to_full(), self.receiver.confirmed_ms)

    @rule(flips=st.integers(0, 3), seed=st.integers(0, 2**32))
    def restart(self, flips: int, seed: int) -> None:
        """The whole machine, from files in which some bits may be others."""
        self.disk.close()
        rng = random.Random(seed)
        files = [path for path in sorted(Path(self.folder.name).iterdir()) if path.stat().st_size]
        for _ in range(flips if files else 0):
            file = rng.choice(files)
            raw = bytearray(file.read_bytes())
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
            file.write_bytes(raw)
        self.disk = SnapshotDiskStore(Path(self.folder.name), Environment.LIVE)
        loaded = self.disk.load()
        self.receiver = SyncState() if loaded is None else SyncState(loaded.state)
        self.workers = [Worker(), Worker()]
        self.furthest.clear()

    @rule()
    def restore_database(self) -> None:
        """From a backup: versions begin again, under another epoch."""
        self.published.restore(f"epoch-{len(self.order) + 1}")
        self.order.append(self.published.epoch)
        self._note()
        self._put_full()

    @rule()
    def settle(self) -> None:
        """A heartbeat and a source that can be read lead everyone to the head."""
        self._receive(encode_heartbeat(self.published.beat()), pulls=True)
        for worker in self.workers:
            worker.follow(self.receiver)
        head = (self.published.epoch, self.published.version)
        state = self.receiver.state
        assert state is not None
        assert (state.epoch, state.version, state.digest) == (*head, self.published.digest)
        assert [worker.place for worker in self.workers] == [head, head]

    @invariant()
    def what_is_held_was_published(self) -> None:
        state = self.receiver.state
        if state is not None:
            assert self.digests[state.epoch, state.version] == state.digest

    @invariant()
    def a_worker_decides_by_what_was_published(self) -> None:
        for worker in self.workers:
            if worker.snapshot is not None:
                slots = worker.snapshot.slots.values()
                held = {slot.key: slot.refresh_seconds for slot in slots}
                assert held == self.slots[worker.place]

    @invariant()
    def nothing_goes_back_within_an_epoch(self) -> None:
        state = self.receiver.state
        if state is not None:
            assert state.version >= self.furthest.get(state.epoch, 0)
            self.furthest[state.epoch] = state.version

    def teardown(self) -> None:
        self.disk.close()
        self.folder.cleanup()

    def _say(self, delta: Delta) -> None:
        self._note()
        self.rung.append(encode_delta(delta))

    def _note(self) -> None:
        place = (self.published.epoch, self.published.version)
        self.digests[place] = self.published.digest
        objects = parse_entries(self.published.full().entries)
        slots = build_snapshot(Environment.LIVE, *place, objects).slots.values()
        self.slots[place] = {slot.key: slot.refresh_seconds for slot in slots}

    def _put_full(self) -> None:
        self.fulls.append(self.published.full())
        self.rung.append(encode_heartbeat(self.published.beat()))

    def _receive(self, raw: bytes, *, pulls: bool = False) -> None:
        message: Heartbeat | Delta | None = None
        with suppress(SnapshotInvalid):
            message = parse_message(raw)
        if (
            message is None
            or self.receiver.take(message, self.published.at_ms) is not SyncResult.PULL
        ):
            return
        if pulls:
            self._pull_deltas()
            self._take_full(self.published.full())

    def _pull_deltas(self) -> None:
        """Those behind what is held, as far as the ring has them."""
        state = self.receiver.state
        if state is None or state.epoch != self.published.epoch:
            return
        for delta in self.published.deltas:
            if delta.version > state.version:
                self.receiver.take_pulled(delta)

    def _take_full(self, full: FullState) -> None:
        """Over the wire, as Redis holds it. An older epoch is for `edge.snapshots.sync_loop` to leave alone."""
        ours = self.receiver.state
        if ours is not None and self.order.index(full.epoch) < self.order.index(ours.epoch):
            return
        header, chunks = encode_full(full)
        state = parse_state(parse_full(parse_full_header(header), chunks))
        self.receiver.replace(state)


def _run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Protocol,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_worker_decides_by_what_was_published_and_ends_at_the_head() -> None:
    _run(examples=10, steps=50)


@pytest.mark.long
def test_the_model_holds_over_many_thousands_of_steps() -> None:
    _run(examples=200, steps=50)
