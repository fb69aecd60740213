"""
Keeps one worker process running: starts it with its feed and its socket of the port, restarts it when it dies, and
stops it on request.
"""

import asyncio
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog

from common.values.clock import Clock
from edge.snapshots.worker_feed import WorkerFeed

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_SETTLED_S = 30.0
_START_S = 60.0
"""Limit before the first frame: the worker may still be loading its modules on a busy machine."""

_log = structlog.get_logger(__name__)


class WorkerProcess:
    """
    Runs one worker: `supervise` until cancelled, `stop`ped or `drain`ed. ``--feed FD --listener FD`` is appended to
    *command*: the worker's end of its feed, and its socket of the port.
    """

    def __init__(
        self,
        number: int,
        command: Sequence[str],
        feed: WorkerFeed,
        *,
        share_port: Callable[[], socket.socket],
        clock: Clock,
        mute_s: float,
    ) -> None:
        """
        *share_port* returns a bound socket of the port. *mute_s*: a worker that sends nothing for so long hangs, while
        the kernel still gives it connections.
        """
        self.number = number
        self.feed = feed
        self.restarts = 0
        self._command = command
        self._clock = clock
        self._mute_s = mute_s
        self._share_port = share_port
        self._listener: socket.socket | None = None
        self._process: Process | None = None
        self._stopping = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """None while no process runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else None

    async def supervise(self) -> None:
        """Runs the process until `stop`, and again whenever it ended, after pauses that double."""
        pause_s = _FIRST_PAUSE_S
        while not self._stopping.is_set():
            started_s = self._clock.monotonic_s()
            code = await self._run_once()
            if self._stopping.is_set():
                return
            if self._clock.monotonic_s() - started_s > _SETTLED_S:
                pause_s = _FIRST_PAUSE_S
            self.restarts += 1
            _log.error("worker_exited", worker=self.number, code=code, retry_in_s=pause_s)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._stopping.wait()
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    def stop(self) -> None:
        """Asks the process to finish; it is not restarted."""
        self._stopping.set()
        self._signal(signal.SIGTERM)

    def take_over(self, before: "WorkerProcess") -> None:
        """
        Takes the place of *before*, a running worker, including connections queued on its socket. Call it before
        `supervise`.
        """
        self.restarts = before.restarts
        self._listener = before.copy_listener()

    def copy_listener(self) -> socket.socket | None:
        """A copy of the listening socket; None while there is none."""
        return None if self._listener is None else self._listener.dup()

    def drain(self) -> None:
        """The process leaves its socket to its successor and ends when no connection is open; it is not restarted."""
        self._stopping.set()
        self._signal(signal.SIGHUP)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    async def _run_once(self) -> int | None:
        """The process's exit code; None if it could not be started."""
        try:
            process, reader, writer = await self._start()
        except OSError as error:
            self._release()
            _log.error("worker_start_failed", worker=self.number, reason=str(error))
            return None
        if self._stopping.is_set():
            self._signal(signal.SIGTERM)
        tasks = [
            asyncio.create_task(self.feed.run(reader, writer)),
            asyncio.create_task(self._watch_life()),
        ]
        try:
            return await process.wait()
        finally:
            self._signal(signal.SIGKILL)
            for task in tasks:
                task.cancel()
            writer.close()
            self._release()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _release(self) -> None:
        """Closes the socket: without its worker it would go on accepting connections that get no response."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def _start(self) -> tuple[Process, asyncio.StreamReader, asyncio.StreamWriter]:
        """The process, and our end of its feed. Raises OSError: the machine has no resources for it."""
        if self._listener is None:
            self._listener = self._share_port()
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            try:
                process = await self._spawn(theirs.fileno(), self._listener.fileno())
            except OSError:
                writer.close()
                raise
        self._process = process
        return process, reader, writer

    async def _spawn(self, feed: int, listener: int) -> Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            "--feed",
            str(feed),
            "--listener",
            str(listener),
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=(feed, listener),
            start_new_session=True,  # so that Ctrl-C in the terminal reaches the supervisor only
        )

    async def _watch_life(self) -> None:
        """A worker responds to every heartbeat. If no heartbeat comes, its metrics are requested instead."""
        while True:
            await asyncio.sleep(self._mute_s / 4)
            if self.feed.silent_s() < self._mute_s / 4:
                continue
            limit_s = self._mute_s if self.feed.has_sent else max(self._mute_s, _START_S)
            if await self.feed.collect_metrics(limit_s) is None:
                _log.error("worker_unresponsive", worker=self.number, silent_s=limit_s)
                self.kill()
                return

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
