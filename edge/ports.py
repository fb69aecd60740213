"""
The edge's interfaces to the outside, one for each role. Each states what happens when the outside fails.

Every adapter passes the suite of its port in ``tests/contracts/``.
"""

import uuid
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from common.decision.rules.gates import Lookup
from common.snapshot.messages import Delta, FullState, Heartbeat
from common.snapshot.model import Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.event import LogRecord, WriterId
from common.tracking.reconcile import ReplayRequest, Retained
from common.tracking.record import EncodedRecord


class SnapshotSourceUnavailable(Exception):
    """No snapshot can be pulled now. The edge goes on serving the last good one."""


class SnapshotPull(Protocol):
    """Reads snapshots from a source. A failure never reaches a request: the receiver keeps its snapshot and retries."""

    async def head(self) -> Heartbeat | None:
        """The newest heartbeat, or None if nothing was ever published. Raises `SnapshotSourceUnavailable`."""
        ...

    async def full(self) -> FullState | None:
        """The newest full state. Raises `SnapshotSourceUnavailable`, `SnapshotInvalid`."""
        ...

    async def deltas(self, after: int, through: int) -> Sequence[Delta] | None:
        """
        Deltas ``after + 1 … through`` without a gap, or None if the source no longer holds all of them.

        Raises `SnapshotSourceUnavailable`, `SnapshotInvalid`.
        """
        ...

    async def report(self, statuses: Mapping[str, bytes]) -> bool:
        """
        Stores the workers' ACKs and NACKs (`common.snapshot.status`), by worker name, for the control plane to read.

        Returns False, and counts the failure, if that failed: the next report sends them again.
        """
        ...


class SnapshotSource(SnapshotPull, Protocol):
    """A source of snapshots that also pushes notifications."""

    def subscribe(self) -> AsyncGenerator[Heartbeat | Delta, None]:
        """
        Yields messages as they arrive; it may lose, repeat or reorder them. Ends or raises `SnapshotSourceUnavailable`
        when the connection is lost. Unreadable messages are skipped.
        """
        ...


TokenKey = str
"""
A token id and the kind it is redeemed for, as `token_key_of` writes them. One string, so that its hash is computed
once.
"""
TokenClaim = tuple[TokenKey, int]
"""A token key to claim, and the seconds for which the claim is kept."""


def token_key_of(token_id: uuid.UUID, kind: str) -> TokenKey:
    """*kind*: the event's kind, or a name for another claim on the same token."""
    return f"{token_id.int:032x}:{kind}"


class TokenStoreUnavailable(Exception):
    """The store did not respond in time. The caller goes on without it."""


class TokenStore(Protocol):
    """
    Stores which (token, kind) were redeemed, to save work. It never prevents double counting: when it is unavailable,
    callers skip it and PostgreSQL collapses duplicates.
    """

    async def seen(self, token_keys: Sequence[TokenKey]) -> Sequence[bool]:
        """Whether each key was redeemed, in one round trip. Raises `TokenStoreUnavailable` within 50 ms."""
        ...

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        """
        Whether each of *claims* was new; of concurrent callers only one gets True. Call it only after the events are
        durable. Raises `TokenStoreUnavailable`; any part of the claims may then be stored.
        """
        ...

    async def close(self) -> None: ...


class Budgets(Protocol):
    """
    What campaigns may still spend at this worker. Read from memory: it calls nothing outside, so nothing outside can
    fail. Without messages from the control plane it uses the leases that it holds, until they end.
    """

    @property
    def pass_rates(self) -> Lookup:
        """
        Campaign id → pass rate, in millionths of its chances to win. A campaign that is missing
        takes all of them.
        """
        ...

    def available_micros(self, snapshot: Snapshot, now_ms: int) -> Lookup:
        """
        Campaign id → micros that may still be committed, for campaigns with a budget, or
        `common.decision.rules.gates.BUDGET_UNKNOWN`. A live view: it describes this snapshot and instant until the next
        call.
        """
        ...

    def commit(
        self,
        snapshot: Snapshot,
        campaign: Campaign,
        micros: int,
        now_ms: int,
        until_day: int | None = None,
    ) -> None:
        """As `LeasedBudgets.commit`: the expected cost of a fill. Ignored for a campaign without a budget."""
        ...

    def count_steps(self) -> Generator[None, None, tuple[int, int]]:
        """
        Two sums: what was committed and may not be in the ledger yet, and this worker's part of the bound on
        overdelivery. Overdelivery is what is delivered beyond budgets; it is never billed. A generator: other tasks may
        run wherever it yields.
        """
        ...


class LeaseStoreUnavailable(Exception):
    """The store did not respond in time. Leases go on to the end of their term, and then budgeted ads stop."""


class LeaseStore(Protocol):
    async def exchange(self, worker: str, report: bytes) -> bytes | None:
        """
        Stores *worker*'s newest report and returns its newest grants, or None if there are none yet. Raises
        `LeaseStoreUnavailable` within three seconds; the report may then have arrived.
        """
        ...

    async def close(self) -> None: ...


class CapStoreUnavailable(Exception):
    """The store did not respond in time. A person's counts are unknown, so capped ads do not serve."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A valid event of a person that frequency caps count. ``number``: of its worker's, from 1; 0: it is added once."""

    person: bytes
    keys: tuple[str, ...]  # of `common.decision.frequency.cap_keys`
    at_ms: int
    number: int = 0


LateCounts = Callable[[Mapping[str, int]], None]
"""Called with counts that arrived after the caller had stopped waiting."""


class CapStore(Protocol):
    """Events of each person, counted by `cap_key` in sliding windows. They expire the longest window after the last."""

    @property
    def wait_s(self) -> float:
        """How long `counts` waits now: 3 ms, up to 15 ms while responses take longer."""
        ...

    async def counts(
        self,
        person: bytes,
        now_ms: int,
        late: LateCounts | None = None,
        wait_s: float | None = None,
    ) -> Mapping[str, int]:
        """
        All of *person*'s counts within their windows. Raises `CapStoreUnavailable` within 15 ms, or *wait_s* where it
        is given; *late* is called if the response arrives after that.
        """
        ...

    async def add(self, seen: Sequence[Seen]) -> Sequence[Seen]:
        """
        Counts the events, each number once. Returns those whose node did not respond; add them again before others of
        the same people. Raises `CapStoreUnavailable`; add the same again before others then.
        """

    async def close(self) -> None: ...


class MailStoreUnavailable(Exception):
    """The store did not respond in time. Nothing is prepared without it: mails could otherwise be prepared twice."""


class ItemState(Enum):
    CLAIMED = "claimed"
    """It was not there. It is this caller's to prepare, for some seconds."""
    PENDING = "pending"
    """Another caller prepares it now."""


class MailStore(Protocol):
    """
    What was prepared for mails, for repeated requests, and what recipients were shown last. Keys are hex hashes. No
    value is a question mark.
    """

    async def check_history(self, now_ms: int) -> bool:
        """
        Whether items that were stored in the last 24 hours may be lost, because the store came back empty. It notices
        that by a mark that this object saw before: call it early, and now and then. Raises `MailStoreUnavailable`.
        """
        ...

    async def claim(self, keys: Sequence[str]) -> list[bytes | ItemState]:
        """Each item, or its `ItemState`, in one round trip. Raises `MailStoreUnavailable`."""
        ...

    async def store(self, items: Mapping[str, bytes]) -> list[bytes]:
        """
        Stores items for 24 hours and returns what is stored now, in one round trip: of an item that was stored
        meanwhile, the first. Raises `MailStoreUnavailable`; any part may then be stored.
        """
        ...

    async def store_templates(self, templates: Mapping[str, bytes]) -> None:
        """Stores them for longer than items. Raises `MailStoreUnavailable`."""
        ...

    async def find_templates(self, ids: Sequence[str]) -> list[bytes | None]:
        """Raises `MailStoreUnavailable`."""
        ...

    async def store_shown(self, key: str, shown: bytes, life_s: int) -> None:
        """Stores what a recipient was shown last in one slot of a mail. Raises `MailStoreUnavailable`."""
        ...

    async def find_shown(self, key: str) -> bytes | None:
        """Raises `MailStoreUnavailable`."""
        ...

    async def close(self) -> None: ...


class SaltStoreUnavailable(Exception):
    """The store did not respond. The caller goes on with a salt of its own, and tries again."""


class SaltStore(Protocol):
    """Where the edges of one environment agree on the salt of a day. It deletes each salt soon after its day."""

    async def agree(self, day: int, proposed: bytes, until_ms: int) -> bytes:
        """
        The salt of *day* (days since the epoch, UTC). Stores *proposed* if there was none yet, until *until_ms*.

        Raises `SaltStoreUnavailable`.
        """
        ...

    async def close(self) -> None: ...


class AudioSessionStoreUnavailable(Exception):
    """The store did not respond in time. A plan goes out without idempotency; the rest is the original content."""


MAX_SENT_SPANS: Final = 256
"""Parts of one ad that were sent and do not touch each other. Players request a few."""


class AudioSessionStore(Protocol):
    """
    Sessions of stitched audio and what was sent of them, for a day. Nothing is charged by what it holds. Each call but
    the last raises `AudioSessionStoreUnavailable`.
    """

    async def put_new(self, key: str, body: bytes, ttl_s: int) -> bytes:
        """Stores *body*, unless there is one under *key*; returns what is stored then."""
        ...

    async def find(self, key: str) -> bytes | None: ...

    async def replace(self, key: str, known: bytes | None, body: bytes, ttl_s: int) -> bool:
        """Stores *body* where *known* is stored, or nothing if that is None. Returns whether it was."""
        ...

    async def add_sent(self, key: str, span: tuple[int, int], ttl_s: int) -> tuple[int, int]:
        """
        Adds the start and end of what was sent to the spans under *key*, which are merged, so that they are no more
        than `MAX_SENT_SPANS`: one that would exceed that is left out. Returns how much they covered before, and cover
        now.
        """
        ...

    async def claim(self, key: str, ttl_s: int) -> bool:
        """Whether nothing had been claimed under *key*."""
        ...

    async def close(self) -> None: ...


class EventLogUnavailable(Exception):
    """The log did not acknowledge. Everything unacknowledged stays in the spool and is appended again."""


class EventLog(Protocol):
    """At-least-once delivery: a record may be appended twice, but the spool drops none that the log can still lose."""

    async def append(self, records: Sequence[LogRecord | EncodedRecord]) -> None:
        """
        Returns when the log holds all records. Raises `EventLogUnavailable`; any part of them may
        then have arrived.
        """
        ...

    async def settled(self, writer: WriterId, appended: int) -> int:
        """
        The sequence up to which the spool may delete: the log can no longer lose these records.

        Kafka: *appended* itself. Redis Streams: what ingest has committed. Raises `EventLogUnavailable`.
        """
        ...

    async def generation(self) -> str:
        """Changes when the log lost what it held. Everything that is not settled is then appended again."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class GeoLocation:
    """ISO 3166-1 code, and the part of the ISO 3166-2 code after the dash, in lower case. None: unknown."""

    country: str | None
    region: str | None


NOWHERE = GeoLocation(None, None)


class GeoReader(Protocol):
    """
    Finds the place of an address, in memory; it never waits. If the data is missing or damaged,
    places are unknown.
    """

    @property
    def failures(self) -> int:
        """How often the operator's file could not be read."""
        ...

    @property
    def built_s(self) -> int:
        """When the data in use was built, in epoch seconds; 0 if there is none."""
        ...

    @property
    def edition(self) -> int:
        """Changes whenever other data is put into use: places found earlier may then be wrong."""
        ...

    def find(self, address: str) -> GeoLocation:
        """Never raises. Returns `NOWHERE` for text that is not an address, and for an address without a known place."""
        ...


class ReplayRequestsUnavailable(Exception):
    """The requests cannot be read or answered now. The edge tries again a little later."""


class ReplayRequests(Protocol):
    """Control requests the records that it misses; edges report the records that they still hold."""

    async def wanted(self) -> Mapping[str, ReplayRequest]:
        """The requests, by writer, for all machines. Raises `ReplayRequestsUnavailable`."""
        ...

    async def report_retained(self, kept: Mapping[str, Retained]) -> None:
        """Reports what this machine holds, by writer. Raises `ReplayRequestsUnavailable`."""
        ...

    async def close(self) -> None: ...
