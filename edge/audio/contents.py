"""
Content files on the disk of the machine: fetched once, indexed by frame, revalidated, and deleted when they are unused.

Files are named by their SHA-256, so all workers of a machine share them. A reader waits no longer than its own
limit; a fetch goes on in the background, and the next reader finds its result.
"""

import asyncio
import contextlib
import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import orjson

from common.fetching.guarded_fetcher import Download, GuardedFetcher, Headers
from common.fetching.web import NotFetched
from common.values.clock import Clock
from common.values.generation_cache import GenerationCache
from edge.audio.adts import find_adts_frames
from edge.audio.join import Frames
from edge.audio.mp3 import find_frames

FRESH_MS: Final = 30_000
"""Content is used without revalidation for so long."""
_MAX_REMEMBERED: Final = 256
_MAX_FETCHES: Final = 24
_MAX_FETCHES_OF_ONE: Final = 8
"""Of one property, whose sources may all be slow: those of others then still have room."""
_NOT_MODIFIED: Final = 304
_OK: Final = 200
_BUFFER_BYTES: Final = 262_144
_RECORDED: Final = (*("digest", "size_bytes", "media_type", "etag", "last_modified", "checked_ms"),)
"""Fields of `Content` in the record of a URL."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Content:
    """``frames``: None where it is no sequence of frames that can be joined. ``lufs``: None until it was measured."""

    path: Path
    digest: str
    size_bytes: int
    media_type: str
    frames: Frames | None
    etag: str | None
    last_modified: str | None
    checked_ms: int
    lufs: float | None = None

    @property
    def validators(self) -> Headers:
        found = []
        if self.etag is not None:
            found.append((b"If-None-Match", self.etag.encode("latin-1")))
        if self.last_modified is not None:
            found.append((b"If-Modified-Since", self.last_modified.encode("latin-1")))
        return found

    @contextlib.contextmanager
    def opened(self) -> Iterator[mmap]:
        """Yields the mapped file. Raises OSError where it was deleted."""
        with self.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            yield mapped


class ContentCache:
    """Belongs to one event loop."""

    def __init__(
        self,
        folder: Path,
        fetcher: GuardedFetcher,
        clock: Clock,
        *,
        max_bytes: int,
        max_file_bytes: int,
        measure: Callable[[Path], Awaitable[float | None]] | None = None,
    ) -> None:
        """*max_bytes*: of all files; *max_file_bytes*: of one."""
        self.fetcher = fetcher
        self._folder = folder
        self._clock = clock
        self._max_bytes = max_bytes
        self._max_file_bytes = max_file_bytes
        self._measure = measure
        self._known = GenerationCache(_MAX_REMEMBERED)
        self._fetches: dict[str, asyncio.Task[Content | None]] = {}
        self._fetches_of: Counter[str] = Counter()
        self._measuring: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="audio")
        self._indexing = ThreadPoolExecutor(2, thread_name_prefix="audio-index")

    async def find(self, url: str, property_id: str, *, wait_s: float) -> Content | None:
        """
        The content at *url*, at most `FRESH_MS` old; None where it is not there after *wait_s*, or too much is being
        fetched, for this property or all. Never raises.
        """
        until_s = asyncio.get_running_loop().time() + wait_s
        known: Content | None = self._known.get(url)
        if known is not None and self._is_fresh(known):
            path = known.path
            try:
                async with asyncio.timeout_at(until_s):
                    is_there = await self.run(lambda: _touch(path))
            except TimeoutError:
                return None
            if is_there:
                return known
            self._known.discard(url)
            known = None
        fetch = self._fetches.get(url) or self._begin(url, property_id, known)
        left_s = max(0.0, until_s - asyncio.get_running_loop().time())
        await asyncio.wait({fetch}, timeout=left_s)
        return fetch.result() if fetch.done() else None

    def _is_fresh(self, content: Content) -> bool:
        return self._clock.now_ms() - content.checked_ms < FRESH_MS

    def _begin(
        self, url: str, property_id: str, known: Content | None
    ) -> asyncio.Task[Content | None]:
        fetch = asyncio.create_task(self._read_or_fetch(url, property_id, known))
        self._fetches[url] = fetch
        fetch.add_done_callback(lambda _: self._fetches.pop(url))
        return fetch

    async def run(self, act: Callable[[], Result]) -> Result:
        """Runs *act*, which blocks for a moment, in a thread of the cache. Indexing a file has threads of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)

    async def close(self) -> None:
        tasks = [*self._fetches.values(), *self._measuring]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.shutdown()
        self._indexing.shutdown()

    async def _index(self, act: Callable[[], Result]) -> Result:
        """Runs *act*, which may take seconds."""
        return await asyncio.get_running_loop().run_in_executor(self._indexing, act)

    async def _read_or_fetch(
        self, url: str, property_id: str, known: Content | None
    ) -> Content | None:
        """
        The content that another worker or an earlier process has fetched, as long as it is fresh. None where it has to
        be fetched and too much is being fetched.
        """
        if known is None:
            values = await self.run(lambda: self._read_record(url))
            known = None if values is None else await self._index(lambda: _indexed(values))
            if known is not None:
                self._known.put(url, known)
                if self._is_fresh(known):
                    return known
        fetches = self._fetches_of
        if fetches.total() >= _MAX_FETCHES or fetches[property_id] >= _MAX_FETCHES_OF_ONE:
            return None
        self._fetches_of[property_id] += 1
        try:
            return await self._fetch(url, known)
        finally:
            self._fetches_of -= Counter([property_id])  # and without those at 0

    async def _fetch(self, url: str, known: Content | None) -> Content | None:
        now_ms = self._clock.now_ms()
        headers = known.validators if known is not None else ()
        try:
            file = await self.run(self._new_file)
        except OSError:  # a full disk: the listener gets the original
            return None
        try:
            content = await self._received(url, file, known, now_ms, headers)
        except OSError:
            return None
        finally:
            file.close()
            await self.run(lambda: Path(file.name).unlink(missing_ok=True))
        if content is None:
            return None
        self._known.put(url, content)
        await self.run(lambda: self._write_record(url, content))
        if content.lufs is None and content.frames is not None and self._measure is not None:
            task = asyncio.create_task(self._measure_loudness(url, content))
            self._measuring.add(task)
            task.add_done_callback(self._measuring.discard)
        return content

    async def _received(
        self, url: str, file: BinaryIO, known: Content | None, now_ms: int, headers: Headers
    ) -> Content | None:
        found = await self._receive(url, file, headers)
        if isinstance(found, NotFetched):
            return None
        if found.status == _NOT_MODIFIED and known is not None:
            return replace(known, checked_ms=now_ms)
        if found.status == _OK and found.size_bytes:
            return await self._index(lambda: self._keep(file, found, now_ms))
        return None

    async def _receive(self, url: str, file: BinaryIO, headers: Headers) -> Download | NotFetched:
        gathered = bytearray()

        async def sink(chunk: bytes) -> None:
            gathered.extend(chunk)
            if len(gathered) >= _BUFFER_BYTES:
                body = bytes(gathered)
                gathered.clear()
                await self.run(lambda: file.write(body))

        found = await self.fetcher.download(
            url, sink, max_bytes=self._max_file_bytes, headers=headers
        )
        await self.run(lambda: file.write(bytes(gathered)))
        return found

    def _new_file(self) -> BinaryIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.NamedTemporaryFile(dir=self._folder, suffix=".part", delete=False)  # type: ignore[return-value]

    def _keep(self, file: BinaryIO, found: Download, now_ms: int) -> Content:
        file.flush()
        part = Path(file.name)
        with part.open("rb") as reading:
            digest = hashlib.file_digest(reading, "sha256").hexdigest()
        path = self._folder / digest
        part.replace(path)
        self._make_room(path)
        return Content(
            path,
            digest,
            found.size_bytes,
            found.media_type,
            _find_frames(path),
            found.etag,
            found.last_modified,
            now_ms,
            _read_lufs(path),
        )

    def _write_record(self, url: str, content: Content) -> None:
        """For the other workers of the machine, and for after a restart."""
        values = {name: getattr(content, name) for name in _RECORDED}
        with contextlib.suppress(OSError):
            self._record_path(url).write_bytes(orjson.dumps(values))

    def _read_record(self, url: str) -> dict[str, Any] | None:
        """Fields of the `Content`, without those that follow from its bytes. Marks the file as used."""
        try:
            values: dict[str, Any] = orjson.loads(self._record_path(url).read_bytes())
            path = self._folder / values["digest"]
            is_there = path.stat().st_size == values["size_bytes"] and _touch(path)
            return values | {"path": path} if is_there else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _record_path(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()}.json"

    def _make_room(self, newest: Path) -> None:
        """Deletes the files that were not used for longest, and parts of fetches that were killed."""
        files = []
        for entry in os.scandir(self._folder):
            with contextlib.suppress(OSError):
                files.append((entry.stat().st_mtime, entry.stat().st_size, Path(entry.path)))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._max_bytes:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size

    async def _measure_loudness(self, url: str, content: Content) -> None:
        assert self._measure is not None  # noqa: S101 - checked by the caller
        lufs = await self._measure(content.path)
        if lufs is None:
            return
        await self.run(lambda: content.path.with_suffix(".lufs").write_text(str(lufs)))
        latest: Content | None = self._known.get(url)
        if latest is not None and latest.digest == content.digest:
            self._known.put(url, replace(latest, lufs=lufs))


def _find_frames(path: Path) -> Frames | None:
    with path.open("rb") as reading, mmap(reading.fileno(), 0, access=ACCESS_READ) as mapped:
        return find_frames(mapped) or find_adts_frames(mapped)


def _indexed(values: dict[str, Any]) -> Content | None:
    """None where the file was deleted, or *values* are those of another version."""
    try:
        path = values["path"]
        return Content(frames=_find_frames(path), lufs=_read_lufs(path), **values)
    except (OSError, ValueError, TypeError):
        return None


def _touch(path: Path) -> bool:
    """Marks the file as used. False where it was deleted."""
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def _read_lufs(path: Path) -> float | None:
    try:
        return float(path.with_suffix(".lufs").read_text())
    except (OSError, ValueError):
        return None
