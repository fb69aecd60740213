"""The state that a machine's receiver holds: every object's canonical JSON, and the digest that proves it."""

from collections.abc import Iterable

from common.snapshot import digest
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import Delta, FullState, ObjectChange
from common.snapshot.model import ObjectType
from common.snapshot.snapshot import parse_entry

ObjectKey = tuple[ObjectType, str]


class SnapshotState:
    """Always a state that was published: a change that does not lead to its promised digest is never applied."""

    __slots__ = ("_bodies", "_chunks", "_digest", "epoch", "version")

    def __init__(self, epoch: str, version: int) -> None:
        """An empty state; `parse_state` makes one from a message."""
        self.epoch = epoch
        self.version = version
        self._bodies: dict[ObjectKey, bytes] = {}
        self._chunks: tuple[bytes, ...] = ()
        """
        The chunks in which the state arrived, until a delta changes it. They are passed on to workers and the disk
        without being encoded again.
        """
        self._digest = digest.EMPTY

    @property
    def digest(self) -> str:
        """64 hex digits."""
        return digest.to_text(self._digest)

    def __len__(self) -> int:
        """Number of objects: 0 in the state of a new database, which serves as any other."""
        return len(self._bodies)

    def apply(self, delta: Delta) -> None:
        """Moves to the delta's version. Raises `SnapshotInvalid` and stays unchanged."""
        if delta.epoch != self.epoch or delta.version != self.version + 1:
            raise SnapshotInvalid(f"delta {delta.version} does not follow {self.version}")
        check_objects(delta.entries)
        changed, moved = self._moved(delta.entries)
        if digest.to_text(moved) != delta.digest:
            raise SnapshotInvalid(f"delta {delta.version} leads to another digest than it says")
        self._take(changed)
        self._digest = moved
        self._chunks = ()
        self.version = delta.version

    def to_full(self) -> FullState:
        """A copy that later deltas do not change."""
        entries = tuple(
            ObjectChange(kind, name, body) for (kind, name), body in self._bodies.items()
        )
        return FullState(self.epoch, self.version, self.digest, entries, self._chunks)

    def to_send(self) -> FullState:
        """As `to_full`, but without entries if it can be passed on in the chunks in which it arrived."""
        if not self._chunks:
            return self.to_full()
        return FullState(self.epoch, self.version, self.digest, (), self._chunks)

    def fill(self, full: FullState) -> None:
        """Used once, by `parse_state`. Raises `SnapshotInvalid`."""
        bodies: dict[ObjectKey, bytes] = {}
        hashes = digest.EMPTY
        for kind, name, body in full.entries:
            if body is None:
                raise SnapshotInvalid("a full state deletes nothing")
            bodies[kind, name] = body
            hashes += digest.object_hash(kind, name, body)
        if len(bodies) != len(full.entries):
            raise SnapshotInvalid("a full state names an object twice")
        moved = digest.moved(hashes)
        if digest.to_text(moved) != full.digest:
            raise SnapshotInvalid(f"full state {full.version} has another digest than it says")
        self._bodies = bodies
        self._digest = moved
        self._chunks = full.chunks

    def _moved(self, entries: Iterable[ObjectChange]) -> tuple[dict[ObjectKey, bytes | None], int]:
        """The bodies after *entries* (None: deleted), and the resulting digest."""
        changed: dict[ObjectKey, bytes | None] = {}
        moved = self._digest
        for entry in entries:
            key = (entry.type, entry.id)
            before = changed[key] if key in changed else self._bodies.get(key)
            removed = 0 if before is None else digest.object_hash(*key, before)
            added = 0 if entry.body is None else digest.object_hash(*key, entry.body)
            moved = digest.moved(moved, removed=removed, added=added)
            changed[key] = entry.body
        return changed, moved

    def _take(self, changed: dict[ObjectKey, bytes | None]) -> None:
        for key, body in changed.items():
            if body is None:
                self._bodies.pop(key, None)
            else:
                self._bodies[key] = body


def parse_state(full: FullState) -> SnapshotState:
    """Raises `SnapshotInvalid`. Reads every object, at some µs each: parse a large state in a thread."""
    state = SnapshotState(full.epoch, full.version)
    state.fill(full)
    check_objects(full.entries)
    return state


def check_objects(entries: Iterable[ObjectChange]) -> None:
    """
    Checks that every body can be read, and belongs to the object that it is filed under. Raises
    `SnapshotInvalid`.
    """
    for entry in entries:
        if entry.body is not None:
            parse_entry(entry)
