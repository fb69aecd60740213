"""
The last good snapshots on disk: full bases, each followed by a journal of later changes.

The folder holds three generations, mode 0600. Older journals reach up to the next base, so a damaged file costs at most
the newest changes. A file is a magic number, then frames: length, CRC-32C, payload.
"""

import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import google_crc32c
import orjson

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
from common.values.environment import Environment
from edge.snapshots.state import SnapshotState, parse_state

GENERATIONS = 3
_MAGIC = b"PLSNAP\x00\x01"
_FRAME = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class Loaded:
    """``confirmed_ms``: when the control plane last confirmed the state. ``damaged``: files that were skipped."""

    state: SnapshotState
    confirmed_ms: int
    damaged: tuple[str, ...]


class SnapshotDiskStore:
    """Blocks: call it from a thread. Writing raises OSError, after which the next write must be a base."""

    def __init__(self, folder: Path, environment: Environment) -> None:
        self._folder = folder
        self._environment = environment
        self._journal: int | None = None

    def load(self) -> Loaded | None:
        """The newest state with a correct digest, or None. Never raises, whatever a file holds."""
        damaged: list[str] = []
        for number in reversed(self._numbers()):
            try:
                state, confirmed_ms = self._load_base(number)
            except (OSError, SnapshotInvalid) as error:
                damaged.append(f"{self._base(number).name}: {error}")
                continue
            confirmed_ms = self._follow(state, confirmed_ms, number)
            return Loaded(state, confirmed_ms, tuple(damaged))
        return None

    def write_base(self, full: FullState, confirmed_ms: int) -> None:
        """
        Writes a new generation: to a temporary file, synced, then renamed. Deletes the oldest ones beyond
        `GENERATIONS`.
        """
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = max(self._numbers(), default=0) + 1
        about = {"environment": self._environment.value, "heard_ms": confirmed_ms}
        header, chunks = encode_full(full)
        temporary = self._folder / "base.tmp"
        _write(temporary, [orjson.dumps(about), header, *chunks])
        temporary.rename(self._base(number))
        self._sync_folder()
        self._journal = _create(self._journal_of(number))
        self._sync_folder()
        for old in self._numbers()[:-GENERATIONS]:
            self._base(old).unlink(missing_ok=True)
            self._journal_of(old).unlink(missing_ok=True)

    @property
    def has_journal(self) -> bool:
        """Whether `append` may be called: a base was written since the start, and every append succeeded."""
        return self._journal is not None

    def append(self, messages: Sequence[Delta | Heartbeat]) -> int:
        """Appends to the journal of the newest base, and syncs. Returns the bytes written."""
        if self._journal is None:
            raise OSError("no journal is open; write a base first")
        raw = b"".join(_frame(_encode(message)) for message in messages)
        try:
            _write_all(self._journal, raw)
            os.fdatasync(self._journal)
        except OSError:
            self.close()
            raise
        return len(raw)

    def close(self) -> None:
        if self._journal is not None:
            with suppress(OSError):
                os.close(self._journal)
            self._journal = None

    def _load_base(self, number: int) -> tuple[SnapshotState, int]:
        frames = list(_frames(self._base(number).read_bytes()))
        if len(frames) < 2:  # noqa: PLR2004 - what it is about, and the header
            raise SnapshotInvalid("the file is no base, or is cut off")
        confirmed_ms = self._check_about(frames[0])
        header = parse_full_header(frames[1])
        if len(frames) - 2 != header.chunks:
            raise SnapshotInvalid(f"{len(frames) - 2} of {header.chunks} chunks can be read")
        return parse_state(parse_full(header, frames[2:])), confirmed_ms

    def _check_about(self, raw: bytes) -> int:
        try:
            about = orjson.loads(raw)
            environment, confirmed_ms = about["environment"], int(about["heard_ms"])
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise SnapshotInvalid(f"its first frame cannot be read: {error}") from error
        if environment != self._environment:
            raise SnapshotInvalid(f"it is of the {environment} environment")
        return confirmed_ms

    def _follow(self, state: SnapshotState, confirmed_ms: int, number: int) -> int:
        """Applies the journal up to the first entry that is damaged or does not follow."""
        with suppress(OSError, SnapshotInvalid):
            for raw in _frames(self._journal_of(number).read_bytes()):
                message = parse_message(raw)
                if isinstance(message, Delta):
                    state.apply(message)
                else:
                    confirmed_ms = max(confirmed_ms, message.at_ms)
        return confirmed_ms

    def _numbers(self) -> list[int]:
        names = (path.stem for path in self._folder.glob("*.base"))
        return sorted(int(name) for name in names if name.isascii() and name.isdigit())

    def _base(self, number: int) -> Path:
        return self._folder / f"{number:010d}.base"

    def _journal_of(self, number: int) -> Path:
        return self._folder / f"{number:010d}.journal"

    def _sync_folder(self) -> None:
        handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _encode(message: Delta | Heartbeat) -> bytes:
    return encode_delta(message) if isinstance(message, Delta) else encode_heartbeat(message)


def _frame(payload: bytes) -> bytes:
    return _FRAME.pack(len(payload), google_crc32c.value(payload)) + payload


def _frames(raw: bytes) -> Iterator[bytes]:
    """Frames up to the first that is damaged or cut off."""
    if not raw.startswith(_MAGIC):
        return
    place = len(_MAGIC)
    while place + _FRAME.size <= len(raw):
        length, check = _FRAME.unpack_from(raw, place)
        payload = raw[place + _FRAME.size : place + _FRAME.size + length]
        if len(payload) != length or google_crc32c.value(payload) != check:
            return
        yield payload
        place += _FRAME.size + length


def _write(path: Path, payloads: Sequence[bytes]) -> None:
    handle = _create(path)
    try:
        for payload in payloads:
            _write_all(handle, _frame(payload))
        os.fsync(handle)
    finally:
        os.close(handle)


def _create(path: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
    handle = os.open(path, flags, 0o600)
    try:
        _write_all(handle, _MAGIC)
    except OSError:
        os.close(handle)
        raise
    return handle


def _write_all(handle: int, raw: bytes) -> None:
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(handle, rest) :]
