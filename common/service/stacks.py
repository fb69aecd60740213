"""What a process is doing: stacks of its threads and tasks, now or sampled. They name code and hold no values."""

import asyncio
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import PurePath
from types import FrameType
from typing import Any, Final

MAX_SECONDS: Final = 30.0
_PERIOD_S = 0.01


async def describe_stacks(seconds: float) -> str:
    """
    Returns the stack of each thread and task. With *seconds* above 0, at most `MAX_SECONDS`: the stacks of threads
    in that time, a hundred samples a second, as folded lines (``thread;outer;inner COUNT``), most frequent first.
    """
    if seconds <= 0:
        return "\n".join([*_threads(), *_tasks()])
    stop = threading.Event()
    try:
        return await asyncio.to_thread(_sample, min(seconds, MAX_SECONDS), stop)
    finally:
        stop.set()  # the end of a process waits for its threads


def _threads() -> Iterator[str]:
    names = _thread_names()
    for number, frame in sys._current_frames().items():  # noqa: SLF001 - documented, and the only way
        yield f"Thread {names.get(number, number)}:"
        yield "".join(traceback.format_stack(frame))


def _tasks() -> Iterator[str]:
    for task in asyncio.all_tasks():
        yield f"Task {task.get_name()}:"
        yield "".join(f"  {_name(frame)}, line {frame.f_lineno}\n" for frame in _awaited(task))


def _awaited(task: asyncio.Task[Any]) -> Iterator[FrameType]:
    """Frames of the coroutines that wait for one another, the outermost first."""
    inner: Coroutine[Any, Any, Any] | object | None = task.get_coro()
    while isinstance(inner, Coroutine):
        frame = getattr(inner, "cr_frame", None)
        if frame is not None:
            yield frame
        inner = getattr(inner, "cr_await", None)


def _sample(seconds: float, stop: threading.Event) -> str:
    found: Counter[str] = Counter()
    ends_s = time.monotonic() + seconds
    own = threading.get_ident()
    while time.monotonic() < ends_s and not stop.wait(_PERIOD_S):
        names = _thread_names()
        for number, frame in sys._current_frames().items():  # noqa: SLF001 - documented, and the only way
            if number != own:
                found[f"{names.get(number, number)};{_folded(frame)}"] += 1
    return "".join(f"{stack} {count}\n" for stack, count in found.most_common())


def _thread_names() -> dict[int | None, str]:
    return {thread.ident: thread.name for thread in threading.enumerate()}


def _folded(frame: FrameType) -> str:
    return ";".join(_name(one) for one, _ in reversed([*traceback.walk_stack(frame)]))


def _name(frame: FrameType) -> str:
    return f"{PurePath(frame.f_code.co_filename).name}:{frame.f_code.co_name}"
