"""
The supervisor's side of a worker's feed: the full state first, then each delta, then heartbeats.

It records what each worker was sent. A slow worker gets fewer but larger updates, so nothing piles up here.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from common.snapshot.messages import (
    FullState,
    Heartbeat,
    encode_delta,
    encode_full,
    encode_heartbeat,
)
from common.snapshot.status import StatusInvalid, WorkerStatus, parse_status
from edge.snapshots.frames import FeedBroken, FrameKind, pack, read_frame
from edge.snapshots.state import SnapshotState
from edge.snapshots.sync_state import SyncState

_MAX_UNSENT_BYTES = 1_000_000
_LONGEST_PAUSE_S = 60.0

_log = structlog.get_logger(__name__)


class WorkerFeed:
    """One worker's feed: `run` until the worker is gone. All other methods may be called at any time."""

    def __init__(
        self,
        receiver: SyncState,
        *,
        on_status: Callable[[WorkerStatus], None],
        demanded: Callable[[bytes], None] | None = None,
        full_again_s: float = 2.0,
    ) -> None:
        """
        *demanded* receives the worker's demand (`edge.state.quota_allocator`). *full_again_s*: a worker that could not
        adopt gets the full state again, but not sooner than this, and ever more rarely while that does not help.
        """
        self.status: WorkerStatus | None = None
        self.listening = False
        self.has_sent = False
        """Whether the worker has sent any frame since its start."""
        self.fulls_count = 0
        """Full states encoded for this worker, over all its starts."""
        self._receiver = receiver
        self._on_status = on_status
        self._demanded = demanded
        self._full_again_s = self._pause_s = full_again_s
        self._changed = asyncio.Event()
        self._sent_epoch = ""
        self._sent_version = 0
        self._sent_confirmed_ms = 0
        self._full_sent_s = 0.0
        self._frame_s = 0.0
        self._writer: asyncio.StreamWriter | None = None
        self._asked: dict[FrameKind, asyncio.Future[bytes | None]] = {}
        """Responses that callers wait for, by the kind of their frame."""

    async def run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Returns when the connection ends, however it ends."""
        self.status = None
        self.has_sent = False
        self._sent_epoch = ""
        self._frame_s = asyncio.get_running_loop().time()
        self._writer = writer
        sending = asyncio.create_task(self._send_changes(writer))
        # Without it the worker would keep an old snapshot. It ends with its feed, and another one is started.
        sending.add_done_callback(lambda done: _end_with(done, writer))
        try:
            with suppress(FeedBroken):
                while True:
                    self._handle_frame(*await read_frame(reader))
                    self._frame_s = asyncio.get_running_loop().time()
                    self.has_sent = True
        finally:
            self.status = None
            self.listening = False
            self._writer = None
            for kind in self._asked:
                self._respond(kind, None)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            writer.close()

    def changed(self) -> None:
        """The receiver has adopted or confirmed a state."""
        self._changed.set()

    @property
    def serving(self) -> bool:
        """Whether the worker takes requests and has a snapshot."""
        return self.listening and self.status is not None and self.status.has_snapshot

    @property
    def current(self) -> bool:
        """Whether the worker has acknowledged the receiver's current state. False for a moment after each change."""
        state, status = self._receiver.state, self.status
        return (
            state is not None
            and status is not None
            and (status.epoch, status.version) == (state.epoch, state.version)
        )

    def silent_s(self) -> float:
        """Seconds since the worker's last frame, or since the start of its feed."""
        return asyncio.get_running_loop().time() - self._frame_s

    async def collect_metrics(self, timeout_s: float) -> bytes | None:
        """The worker's Prometheus text; None if it does not respond in time."""
        return await self._ask(pack(FrameKind.COLLECT), FrameKind.METRICS, timeout_s)

    async def collect_stacks(self, seconds: float, timeout_s: float) -> bytes | None:
        """
        What `describe_stacks` returns in the worker; None if it does not respond within *timeout_s* after the
        *seconds*. One caller at a time.
        """
        frame = pack(FrameKind.PROFILE, str(seconds).encode())
        return await self._ask(frame, FrameKind.STACKS, seconds + timeout_s)

    async def _ask(self, frame: bytes, response: FrameKind, timeout_s: float) -> bytes | None:
        writer = self._open_writer
        if writer is None:
            return None
        asked = self._asked.get(response)
        if asked is None or asked.done():
            asked = self._asked[response] = asyncio.get_running_loop().create_future()
        writer.write(frame)
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.shield(asked)
        except TimeoutError:
            return None

    def send_shares(self, shares: bytes) -> None:
        """Sends shares, and requests the worker's demand. Skipped while the worker does not read."""
        writer = self._open_writer
        if writer is not None and writer.transport.get_write_buffer_size() < _MAX_UNSENT_BYTES:
            writer.write(pack(FrameKind.SHARES, shares))

    @property
    def _open_writer(self) -> asyncio.StreamWriter | None:
        """None while no worker is connected. uvloop raises where a closed transport is written to."""
        writer = self._writer
        return None if writer is None or writer.is_closing() else writer

    def _handle_frame(self, kind: FrameKind, payload: bytes) -> None:
        if kind is FrameKind.ALIVE:
            return
        if kind is FrameKind.LISTENING:
            self.listening = True
            return
        if kind in {FrameKind.METRICS, FrameKind.STACKS}:
            self._respond(kind, payload)
            return
        if kind is FrameKind.DEMAND:
            if self._demanded is not None:
                self._demanded(payload)
            return
        try:
            status = parse_status(payload)
        except StatusInvalid as error:
            raise FeedBroken(str(error)) from error
        self.status = status
        self._on_status(status)
        if status.ok:
            self._pause_s = self._full_again_s
        else:
            _log.error("snapshot_nack", worker=status.worker, reason=status.reason)
            self._send_full_again()

    def _respond(self, kind: FrameKind, text: bytes | None) -> None:
        asked = self._asked.get(kind)
        if asked is not None and not asked.done():
            asked.set_result(text)

    def _send_full_again(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s - self._full_sent_s >= self._pause_s:
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
            self._sent_epoch = ""
            self.changed()

    async def _send_changes(self, writer: asyncio.StreamWriter) -> None:
        self.changed()
        while True:
            await self._changed.wait()
            self._changed.clear()
            state = self._receiver.state
            if state is None:
                continue
            for frame in await self._frames_since_sent(state):
                writer.write(frame)
                await writer.drain()

    async def _frames_since_sent(self, state: SnapshotState) -> list[bytes]:
        """Frames that bring the worker from what it was sent to *state* as it is now; *state* changes meanwhile."""
        confirmed_ms = self._receiver.confirmed_ms
        beat = Heartbeat(state.epoch, state.version, state.digest, confirmed_ms)
        frames: list[bytes] = []
        if (state.epoch, state.version) != (self._sent_epoch, self._sent_version):
            deltas = self._receiver.find_deltas(self._sent_epoch, self._sent_version)
            if deltas is None:
                frames += await self._full_frames(state.to_send())
            else:
                frames += [pack(FrameKind.DELTA, encode_delta(delta)) for delta in deltas]
        if frames or confirmed_ms != self._sent_confirmed_ms:
            frames.append(pack(FrameKind.BEAT, encode_heartbeat(beat)))
        self._sent_epoch, self._sent_version = beat.epoch, beat.version
        self._sent_confirmed_ms = confirmed_ms
        return frames

    async def _full_frames(self, full: FullState) -> list[bytes]:
        self.fulls_count += 1
        self._full_sent_s = asyncio.get_running_loop().time()
        header, chunks = await asyncio.to_thread(encode_full, full)
        chunk_frames = [pack(FrameKind.CHUNK, chunk) for chunk in chunks]
        return [pack(FrameKind.FULL, header), *chunk_frames]


def _end_with(sending: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
    if not sending.cancelled() and sending.exception() is not None:
        _log.error("worker_feed_failed", exc_info=sending.exception())
        writer.close()
