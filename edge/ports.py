"""
What the edge needs of the outside, by role. Each says what happens when the outside fails.

Every adapter passes the suite of its port in ``tests/contracts/``; the memory ones are for tests, and wiring
refuses them in a started service.
"""

import uuid
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from common.decision.rules.gates import Lookup
from common.snapshot.messages import Delta, FullState, Heartbeat
from common.snapshot.model import Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.event import LogRecord, WriterId
from common.tracking.reconcile import ReplayRequest, Retained
from common.tracking.record import EncodedRecord


class SnapshotSourceUnavailable(Exception):
    """Nothing can be pulled now; the last good snapshot goes on serving."""


class SnapshotPull(Protocol):
    """Where snapshots are asked for. A failure never reaches a request: the receiver keeps what it has and retries."""

    async def head(self) -> Heartbeat | None:
        """The newest heartbeat, None where nothing was ever published. Raises `SnapshotSourceUnavailable`."""
        ...

    async def full(self) -> FullState | None:
        """The newest full state. Raises `SnapshotSourceUnavailable`, `SnapshotInvalid`."""
        ...

    async def deltas(self, after: int, through: int) -> Sequence[Delta] | None:
        """
        Deltas ``after + 1 … through`` without a gap, or None where the ring no longer holds them all.

        Raises `SnapshotSourceUnavailable`, `SnapshotInvalid`.
        """
        ...

    async def report(self, statuses: Mapping[str, bytes]) -> bool:
        """
        Leaves workers' ACKs and NACKs (`common.snapshot.status`), by name, where the control plane finds them.

        False, and counted, where that failed: the next report says it again.
        """
        ...


class SnapshotSource(SnapshotPull, Protocol):
    """Where snapshots come from: one that also rings."""

    def bell(self) -> AsyncGenerator[Heartbeat | Delta, None]:
        """
        Messages as they come; may lose, repeat or reorder them. Ends or raises `SnapshotSourceUnavailable` when
        the connection is lost; unreadable messages are skipped.
        """
        ...


TokenKey = str
"""A token id and what it is redeemed for, as `token_key_of` writes them: one text, whose hash is worked out once."""
TokenClaim = tuple[TokenKey, int]
"""What is claimed, and for how many seconds."""


def token_key_of(token_id: uuid.UUID, kind: str) -> TokenKey:
    """*kind*: of the event, or a word for another claim on the same token."""
    return f"{token_id.hex}:{kind}"


class TokenStoreUnavailable(Exception):
    """The store does not answer in time; the caller goes on without it."""


class TokenStore(Protocol):
    """
    Remembers which (token, kind) were redeemed, to save work. Never the thing that prevents double counting:
    when it is away, callers skip it and PostgreSQL collapses duplicates.
    """

    async def seen(self, token_keys: Sequence[TokenKey]) -> Sequence[bool]:
        """Of each, in one look. Raises `TokenStoreUnavailable` within 50 ms of asking."""
        ...

    async def claim(self, claims: Sequence[TokenClaim]) -> list[bool]:
        """
        Which of *claims* nobody had before, each told to one caller alone. Only ever after the events are durable.
        Raises `TokenStoreUnavailable`; then any part may be claimed.
        """
        ...

    async def close(self) -> None: ...


class Budgets(Protocol):
    """
    What campaigns may still spend at this worker. From memory: nothing outside is asked, and nothing outside can fail;
    without news from the control plane it goes on with what it knows, and closes.
    """

    @property
    def pass_rates(self) -> Lookup:
        """Campaign id to how many of a million chances to win it takes; all where a name is missing."""
        ...

    def available_micros(self, snapshot: Snapshot, now_ms: int) -> Lookup:
        """
        Campaign id to the micros that may still be committed, of campaigns with a budget, or
        `common.decision.rules.gates.UNANSWERED`. A live view: it speaks of this snapshot and instant until it is asked
        for again.
        """
        ...

    def commit(self, snapshot: Snapshot, campaign: Campaign, micros: int, now_ms: int) -> None:
        """A fill of *campaign* is expected to cost *micros*. One without a budget is not kept."""
        ...

    def count_steps(self) -> Generator[None, None, tuple[int, int]]:
        """
        What was committed and may not be in the ledger yet, and this worker's part of the bound on what is delivered
        beyond budgets, which is never billed. Others may have their token_key wherever it yields.
        """
        ...


class LeaseStoreUnavailable(Exception):
    """Nobody answers in time. Leases go on to the end of their term, and then budgeted ads stop."""


class LeaseStore(Protocol):
    async def exchange(self, worker: str, report: bytes) -> bytes | None:
        """
        Leaves *worker*'s newest report and gives its newest grants, None where there are none yet. Raises
        `LeaseStoreUnavailable` within three seconds; the report may then have arrived.
        """
        ...

    async def close(self) -> None: ...


class CapStoreUnavailable(Exception):
    """The store does not answer in time: nobody knows what a person saw, and capped ads do not serve."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A valid event of a person that caps count. ``keys``: of `common.decision.frequency.cap_keys`."""

    person: bytes
    keys: tuple[str, ...]
    at_ms: int


LateCounts = Callable[[Mapping[str, int]], None]
"""Is given counts that came after their caller had stopped waiting."""


class CapStore(Protocol):
    """
    What people saw and clicked, by `cap_key`, in sliding windows. It forgets a person nothing was counted of for as
    long as their longest window.
    """

    @property
    def wait_s(self) -> float:
        """How long `counts` waits now: 3 ms, up to 15 ms where answers take longer."""
        ...

    async def counts(
        self, person: bytes, now_ms: int, late: LateCounts | None = None
    ) -> Mapping[str, int]:
        """
        Everything counted of *person* within its window. Raises `CapStoreUnavailable` within 15 ms of asking; *late* is
        called where the answer comes after that.
        """
        ...

    async def add(self, seen: Sequence[Seen]) -> None:
        """Raises `CapStoreUnavailable`; then any part may have been counted."""
        ...

    async def close(self) -> None: ...


class SaltStoreUnavailable(Exception):
    """The store does not answer: the caller goes on with a salt of its own, and asks again."""


class SaltStore(Protocol):
    """Where the edges of one environment agree on the salt of a day. Forgets it for ever soon after that day."""

    async def agree(self, day: int, proposed: bytes, until_ms: int) -> bytes:
        """
        The salt of *day* (since the epoch, UTC): *proposed* where there was none yet, kept until that instant.

        Raises `SaltStoreUnavailable`.
        """
        ...

    async def close(self) -> None: ...


class EventLogUnavailable(Exception):
    """The log did not acknowledge; everything unacknowledged stays in the spool and is appended again."""


class EventLog(Protocol):
    """At least once: a record may be appended twice, never acknowledged and lost while the spool drops it."""

    async def append(self, records: Sequence[LogRecord | EncodedRecord]) -> None:
        """Returns when the log holds all of them. Raises `EventLogUnavailable`; then any part may have arrived."""
        ...

    async def settled(self, writer: WriterId, appended: int) -> int:
        """
        The sequence up to which the spool may delete: what the log can no longer lose.

        Kafka: *appended* itself. Redis Streams: what ingest has committed. Raises `EventLogUnavailable`.
        """
        ...

    async def generation(self) -> str:
        """Changes when the log lost what it held: then everything not settled is appended again."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class GeoLocation:
    """ISO 3166-1 and the part of ISO 3166-2 after the dash, in lower case; None: not known."""

    country: str | None
    region: str | None


NOWHERE = GeoLocation(None, None)


class GeoReader(Protocol):
    """Where an address is, from memory: never waits. Whatever is wrong with the data, the place is not known."""

    @property
    def failures(self) -> int:
        """How often the operator's data could not be read."""
        ...

    @property
    def built_s(self) -> int:
        """When the data in use was built, epoch seconds; 0 where there is none."""
        ...

    @property
    def edition(self) -> int:
        """Another number whenever other data came into use: what was found before may not be so any more."""
        ...

    def find(self, address: str) -> GeoLocation:
        """Never raises; `NOWHERE` for what is no address, or of which nothing is known."""
        ...


class ReplayRequestsUnavailable(Exception):
    """Nobody can be asked now; the edge looks again a little later."""


class ReplayRequests(Protocol):
    """Where control says which records it misses, and edges what they still have."""

    async def wanted(self) -> Mapping[str, ReplayRequest]:
        """By writer, of all machines. Raises `ReplayRequestsUnavailable`."""
        ...

    async def tell(self, kept: Mapping[str, Retained]) -> None:
        """By writer, of this machine. Raises `ReplayRequestsUnavailable`."""
        ...

    async def close(self) -> None: ...
