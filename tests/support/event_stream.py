"""A reader of server-sent events, as a browser is one: it knows the last id."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import orjson


@dataclass(slots=True)
class Message:
    """``event`` is empty for events of the feed. A block without data is none: it only moves the last id."""

    event: str
    data: dict[str, Any]


@dataclass(slots=True)
class EventStream:
    """An open stream. ``comments`` are those read so far."""

    answer: httpx.Response
    last_id: str = ""
    comments: list[str] = field(default_factory=list)
    _lines: AsyncIterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self._lines = self.answer.aiter_lines()

    async def blocks(self) -> AsyncIterator[Message | None]:
        """What each empty line ends; None where it held no data."""
        event, data = "", ""
        async for line in self._lines:
            name, _, value = line.partition(": ")
            if name == "id":
                self.last_id = value
            elif name == "event":
                event = value
            elif name == "data":
                data = value
            elif line.startswith(":"):
                self.comments.append(line[1:].strip())
            elif not line:
                yield Message(event, orjson.loads(data)) if data else None
                event, data = "", ""

    async def take(self, count: int) -> list[dict[str, Any]]:
        """The next events of the feed."""
        found: list[dict[str, Any]] = []
        if not count:
            return found
        async for message in self.blocks():
            if message is not None:
                assert message.event == "", message
                found.append(message.data)
                if len(found) == count:
                    return found
        raise AssertionError(f"the stream ended after {len(found)} events")

    async def opened(self) -> None:
        """The place that it begins at is known."""
        async for _ in self.blocks():
            return

    async def end(self) -> dict[str, Any]:
        """The stream's last words; what came before them is passed over."""
        last: Message | None = None
        async for message in self.blocks():
            last = message or last
        assert last is not None
        assert last.event == "end"
        return last.data


@asynccontextmanager
async def listening(
    http: httpx.AsyncClient, path: str, headers: dict[str, str], **query: Any
) -> AsyncIterator[EventStream]:
    async with http.stream("GET", path, headers=headers, params=query) as answer:
        if answer.status_code != httpx.codes.OK:
            await answer.aread()
            raise AssertionError(f"{answer.status_code} {answer.text}")
        yield EventStream(answer)
