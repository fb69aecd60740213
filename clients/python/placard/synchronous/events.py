# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""Reads the events of a property as they come, and keeps the position."""

from collections.abc import Iterator
from typing import Any, Literal

from placard import types
from placard.cursors import CursorStore
from placard.synchronous.operations import EventsOperations


class Events(EventsOperations):
    """`list` and `list_page` are the feed as it is; `follow` is for a program that handles every event."""

    def follow(
        self,
        cursors: CursorStore,
        *,
        start: Literal["earliest", "now"] = "earliest",
        poll_s: float = 2.0,
        limit: int = 100,
        **filters: Any,
    ) -> Iterator[types.Event]:
        """
        Every event, oldest first, without end. *start*: where to begin if *cursors* is empty. *filters* are those of
        `list`; a cursor is valid only with the filters it was created with.

        The cursor is saved after the last event of a page was handled, so a reader that is stopped within a page reads
        that page again: handle each event by its ``id``, at least once. Raises `ExpiredError` if the cursor is older
        than the retention.
        """
        cursor = cursors.load()
        if cursor is None and start == "now":
            page = self.list_page(limit=1, **filters)
            cursor = page["next_cursor"]
            if cursor is not None:
                cursors.save(cursor)
        while True:
            page = self.list_page(cursor=cursor or "earliest", limit=limit, **filters)
            for event in page["data"]:
                yield event
            following = page["next_cursor"]
            if following is not None and following != cursor:
                cursor = following
                cursors.save(cursor)
            if not page["has_more"]:
                self._transport.sleep(poll_s)
