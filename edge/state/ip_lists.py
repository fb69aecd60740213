"""The traffic filter's lists at this worker. Read at the start, and again whenever the operator's file changes."""

import asyncio
from pathlib import Path

import structlog

from common.ivt.judge_lists import JudgeLists, read_lists
from common.user_agent.robots import prepare_robots
from edge.runtime.file_stamp import FileStamp, find_stamp

CHECK_S = 10.0

_log = structlog.get_logger(__name__)


class IpLists:
    """
    ``current`` holds the lists that events are judged by. If a new file cannot be read, the previous lists stay in use;
    that is logged, and counted in ``failures``. Replace the file by renaming a new one over it.
    """

    def __init__(
        self,
        current: JudgeLists | None = None,
        *,
        path: Path | None = None,
        count_opens: bool = False,
    ) -> None:
        """*current* None: empty lists, until `refresh` or `read` loads some."""
        self.current = current or JudgeLists()
        self.failures = 0
        self._path = path
        self._count_opens = count_opens
        self._stamp: FileStamp | None = None

    @classmethod
    def read(cls, path: Path | None, *, count_opens: bool = False) -> "IpLists":
        """Blocks. Raises OSError, `RangesInvalid` and ValueError if the first file cannot be read."""
        prepare_robots()
        made = cls(path=path, count_opens=count_opens)
        made._stamp = find_stamp(path)
        made.current = read_lists(path, count_opens=count_opens)
        return made

    def refresh(self) -> None:
        """
        Loads the file if it changed since the last look, or if it is there and the last look failed to read it. Blocks:
        call it in a thread.
        """
        stamp = find_stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self.current = read_lists(self._path, count_opens=self._count_opens)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                self._stamp = None  # the same file may be readable at the next look
            self.failures += 1
            _log.warning("traffic_lists_unreadable", path=str(self._path), reason=str(error))
            return
        _log.info("traffic_lists_read", path=str(self._path), version=self.current.version)

    async def run(self, every_s: float = CHECK_S) -> None:
        """Looks again every *every_s*, for ever. The built-in list does not change while the process lives."""
        while True:
            await asyncio.sleep(every_s)
            if self._path is not None:
                await asyncio.to_thread(self.refresh)
