"""
Windowed verdicts over the partitions that this process reads, before anything is charged.

Records of one client arrive in one partition, in order. A partition's window lives in memory. For a newly assigned
partition it is restored from stored events (`control.events.ingest.window_restore`). Verdicts that are not stored yet
are kept by position, so that a repeated poll gets the same verdicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from common.ivt.windows import (
    LIMITS,
    WINDOW_VERSION,
    ClientEvent,
    Limits,
    Window,
    judge_window,
    may_count,
    record_event,
)
from common.values.enums import Reason
from control.events.ingest.parsed_records import Event

_TEST_CLIENT = "test/"


@dataclass(slots=True)
class _Partition:
    window: Window = field(default_factory=Window)
    changed: dict[int, Reason] = field(default_factory=dict)
    """Verdicts that differ from the edge's, by position; only of events not stored yet."""
    stored: int = -1
    """The last committed position, or that of the start of the window."""
    through: int = -1
    """The last position in the window."""


class Windows:
    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._partitions: dict[int, _Partition] = {}

    def lacks(self, partition: int, position: int | None) -> bool:
        """Whether another consumer may have stored events up to *position* that the window of *partition* lacks."""
        held = self._partitions.get(partition)
        return held is None or (position is not None and held.through < position)

    def put(self, partition: int, window: Window, position: int | None) -> None:
        """*window* holds what happened up to *position*."""
        through = -1 if position is None else position
        self._partitions[partition] = _Partition(window, stored=through, through=through)

    def judge(self, events: Sequence[Event]) -> None:
        """Writes the verdict on each event, in the order of their positions."""
        for event in events:
            if event.client is None or not event.valid:
                continue
            if event.is_test:
                if event.live_reason is not None and event.live_reason.valid:
                    event.live_reason = self._judge(event, event.live_reason)
                continue
            reason = self._judge(event, event.judged)
            if reason is not event.judged:
                event.judged, event.judge_version = reason, WINDOW_VERSION
                event.valid = reason.valid

    def stored(self, partition: int, through: int) -> None:
        """Everything up to *through* is committed and will not be judged again."""
        held = self._partitions.get(partition)
        if held is not None:
            held.stored = max(held.stored, through)
            held.changed = {place: one for place, one in held.changed.items() if place > through}

    def _judge(self, event: Event, before: Reason) -> Reason:
        """*before*: the edge's verdict, or for a test event the verdict on the same live event."""
        held = self._partitions.get(event.partition)
        if held is None:
            held = self._partitions[event.partition] = _Partition()
        position = event.position
        if position <= held.through:
            if position > held.stored:
                return held.changed.get(position, before)
            # The log was reset, or is read again from far back: the old window no longer applies.
            held = self._partitions[event.partition] = _Partition(stored=position - 1)
        reason = _judge(event, before, held.window, self._limits)
        held.through = position
        if reason is not before:
            held.changed[position] = reason
        return reason


def _judge(event: Event, before: Reason, window: Window, limits: Limits) -> Reason:
    """Judges the event by *window* and adds the event to it."""
    fields = event.shared_fields
    if (
        event.client is not None
        and fields.is_only_counted
        and not limits.impression_dedup_window_ms
    ):
        may = may_count(window, event.client, fields.slot_id, event.at_ms, limits)
        return before if may else Reason.RATE_EXCEEDED
    client_event = _client_event(event, before)
    reason = judge_window(client_event, window, limits)
    record_event(client_event, reason, window, limits)
    return reason


def _client_event(event: Event, reason: Reason) -> ClientEvent:
    """A test event as if it were live, from a client name that no live event has."""
    fields = event.shared_fields
    client = f"{_TEST_CLIENT}{event.client}" if fields.is_test else event.client
    return ClientEvent(
        fields.kind,
        reason,
        client,
        fields.slot_id,
        fields.ad_id,
        fields.surface,
        False,  # noqa: FBT003 - a tuple's field
        fields.preview,
        event.issued_ms,
        event.at_ms,
    )
