"""
The budgets that one worker may spend: leases in memory. Requests to the allocator run in the background.

The expected cost of a fill is committed at once; nothing is committed that was not granted before. A worker that
received no answer for the term commits nothing more, and resumes once it is answered again.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Protocol

from common.budget.local_day import local_day
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import BUDGET_UNKNOWN, Lookup
from common.pacing.controller import WHOLE
from common.pacing.holds import HoldDays, hold_name
from common.pacing.lease import HORIZON_MS, TERM_MS, Lease
from common.pacing.lease_messages import GrantLine, Grants, Report, ReportLine, run_to_end
from common.service.cooperative import AT_ONCE
from common.snapshot.model import Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.token import DAY_MS
from common.values.enums import CampaignStatus

Counts = memoryview
"""Of format ``q``."""
MAX_LINES = 4_000
"""Lines in one report; further ones wait for the next report."""
MAX_SENT = 256
"""
Reports that an answer is expected for. While the allocator is unavailable for hours, each second has another one, with
the names of thousands of campaigns. It answers the newest that it has read, so older ones are dropped.
"""
_EVERY_MS = 1_000


@dataclass(slots=True)
class HeldLease:
    """
    One campaign's lease. ``min_micros``: with less, the worker requests more. ``day``: the only day on which it may be
    committed, empty for any day. ``before_micros``: committed up to the last report; ``late_micros``: between the last
    two. ``changed``: the first report that must contain it. ``is_answered``: the allocator answered a request for it.
    ``counts`` and ``place``: where `CommitCounts` stores the committed micros, after the first commit.
    ``holds``: the part of the committed micros that mails hold, by name; ``new_holds``: those to report.
    """

    min_micros: int = 1
    lease: Lease = field(default_factory=Lease)
    day: str = ""
    before_micros: int = 0
    late_micros: int = 0
    changed: int = 0
    is_answered: bool = False
    counts: Counts | None = None
    place: int = 0
    holds: dict[str, "HeldCount"] = field(default_factory=dict)
    new_holds: set[str] = field(default_factory=set)


@dataclass(slots=True)
class HeldCount:
    """Micros of one hold (`common.pacing.holds`), and where `CommitCounts` stores them."""

    until_day: int
    micros: int = 0
    counts: Counts | None = None
    place: int = 0


class CommitCounts(Protocol):
    """Stores committed amounts where they outlive the worker's process. Never waits."""

    def place(self, name: str) -> tuple[Counts, int]:
        """Returns where to write the micros of *name*, a campaign's id or a `hold_name`, at each commit."""
        ...

    def record_report(self, sequence: int, at_ms: int) -> None:
        """*sequence*: of the report that is sent now. *at_ms*: monotonic."""
        ...


@dataclass(slots=True)
class _Sent:
    at_ms: int
    campaigns: list[str]


class LeasedBudgets:
    """Belongs to one event loop. *term_ms*: how long an answered report lets this worker continue."""

    def __init__(self, *, term_ms: int = TERM_MS, commits: CommitCounts | None = None) -> None:
        self._term_ms = term_ms
        self._commits = commits
        self._held: dict[str, HeldLease] = {}
        self._changed: dict[str, HeldLease] = {}
        self._requested: set[str] = set()
        self.on_request: Callable[[], None] | None = None
        """Called at the first request after a report."""
        self._expected: set[str] = set()
        """Campaigns that are new here and were requested before any call for them, until the allocator answers."""
        self._holding: set[str] = set()
        """Campaigns with mails."""
        self.pass_rates: dict[str, int] = {}
        """Pass rates in millionths, of the campaigns that are throttled. All others always pass."""
        self._sequence = 0
        self._sent: dict[int, _Sent] = {}
        self._epoch = 0
        self._number = 0
        self._until_ms = 0
        """Monotonic; after it nothing is committed, and a term later all leases are returned."""
        self._released_ms = 0
        self._is_open = False
        # Not the snapshot itself: the next call would otherwise free the previous one, with all its caches.
        self._campaigns: Mapping[str, Campaign] = {}
        self._now_ms = 0

    # Read by decisions, a few times for each request.

    def available_micros(self, snapshot: Snapshot, now_ms: int) -> Lookup:
        self._campaigns = snapshot.campaigns
        self._now_ms = now_ms
        return self

    def get(self, campaign_id: str, default: int, /) -> int:
        """Returns micros at the instant last passed to `available_micros`; `BUDGET_UNKNOWN` before the first grant."""
        held = self._held.get(campaign_id)
        if held is None:
            return self._request(campaign_id, default)
        if not self._is_open:
            return BUDGET_UNKNOWN
        if not held.is_answered:
            self._note_request(campaign_id)
            return BUDGET_UNKNOWN
        micros = held.lease.available_micros
        if micros < held.min_micros or micros <= held.late_micros:
            self._note_request(campaign_id)
        if held.day and micros > 0 and held.day != self._today(campaign_id):
            self._release(campaign_id, held, keep_micros=0)
            return 0
        return max(0, micros)

    def commit(
        self,
        snapshot: Snapshot,
        campaign: Campaign,
        micros: int,
        now_ms: int,
        until_day: int | None = None,
    ) -> None:
        """
        Commits *micros*, the expected cost of a fill of *campaign*. A campaign without a budget is ignored.

        *until_day*: of a mail, the `last_day` of its token; the budget holds the micros until then.
        """
        del snapshot
        held = self._held.get(campaign.id)
        if held is not None:
            held.lease.committed_micros += micros
            if self._commits is not None:
                if held.counts is None:
                    held.counts, held.place = self._commits.place(campaign.id)
                held.counts[held.place] = held.lease.committed_micros
            if until_day is not None:
                self._hold(campaign, held, micros, now_ms, until_day)
            held.min_micros = campaign.bid_micros
            self._change(campaign.id, held)

    def count_steps(self) -> Generator[None, None, tuple[int, int]]:
        """Returns the micros in flight, and those that may be over-delivered; other work can run wherever it yields."""
        in_flight = over_delivery = 0
        for number, held in enumerate(list(self._held.values()), 1):
            in_flight += held.lease.committed_micros - held.before_micros
            over_delivery += max(0, held.lease.available_micros)
            if number % AT_ONCE == 0:
                yield
        return in_flight, over_delivery

    def expect(self, snapshot: Snapshot, campaign_ids: Iterable[str]) -> bool:
        """
        Requests leases ahead of the first call. *campaign_ids* changed in *snapshot*, the current one; those that may
        spend here and hold too little are requested. Returns whether there are any.
        """
        for campaign_id in campaign_ids:
            campaign = snapshot.campaigns.get(campaign_id)
            if campaign is None or not is_spent_by_event(campaign):
                continue
            held = self._held.get(campaign_id)
            if campaign.status is not CampaignStatus.ACTIVE or (
                held is not None and held.lease.available_micros >= campaign.bid_micros
            ):
                continue
            if held is None:
                self._held[campaign_id] = HeldLease(campaign.bid_micros)
            self._expected.add(campaign_id)
        return bool(self._expected)

    # Messages to and from the allocator. Instants are monotonic.

    @property
    def is_waiting(self) -> bool:
        """Whether an answer of the allocator is missing: the first one, or one for an expected campaign."""
        return self._until_ms == 0 or bool(self._expected)

    @property
    def has_requests(self) -> bool:
        """Whether a campaign was requested since the last report."""
        return bool(self._requested)

    @property
    def newly_requested(self) -> frozenset[str]:
        """
        Campaigns that were requested since the last report and never granted: they may be new. A campaign with a spent
        lease waits for its plan, so an earlier request would not help.
        """
        return frozenset(
            name for name in self._requested if self._held[name].lease.granted_micros == 0
        )

    def report(self, at_ms: int) -> Report:
        """Returns the next report; the caller sends it at once."""
        return run_to_end(self.report_steps(at_ms))

    def report_steps(self, at_ms: int) -> Generator[None, None, Report]:
        """
        Runs `report` in steps, so that other work can run in between. Commits made in between are in this report or the
        next, or in both, which has the same effect.
        """
        self._sequence += 1
        sequence = self._sequence
        if at_ms >= self._until_ms + self._term_ms and self._released_ms != self._until_ms:
            # The allocator drops a worker that is silent for long, and grants its leases to others.
            self._released_ms = self._until_ms
            yield from self.release_steps()
        if self._commits is not None:
            self._commits.record_report(sequence, at_ms)
        all_names = dict.fromkeys(chain(self._expected, self._requested, self._changed))
        names = list(islice(all_names, MAX_LINES))
        lines: list[ReportLine] = []
        for start in range(0, len(names), AT_ONCE):
            for name in names[start : start + AT_ONCE]:
                lines += self._lines(name)
            yield
        self._sent[sequence] = _Sent(at_ms, names)
        if len(self._sent) > MAX_SENT:
            del self._sent[next(iter(self._sent))]
        return Report(sequence, self._epoch, self._number, tuple(lines))

    def apply(self, grants: Grants) -> None:
        """Applies grants. Grants that are older than the last ones, or answer no report of this worker, are ignored."""
        run_to_end(self.apply_steps(grants))

    def apply_steps(self, grants: Grants) -> Generator[None, None, None]:
        """
        Runs `apply` in steps, so that other work can run in between. These grants count as applied only at the end: if
        it is interrupted, the allocator sends them again.
        """
        sent = self._sent.get(grants.answers)
        if (grants.epoch, grants.number) < (self._epoch, self._number) or sent is None:
            return
        for start in range(0, len(grants.lines), AT_ONCE):
            for line in grants.lines[start : start + AT_ONCE]:
                self._merge_grant(line)
            yield
        for start in range(0, len(sent.campaigns), AT_ONCE):
            for name in sent.campaigns[start : start + AT_ONCE]:
                self._held[name].is_answered = True
                self._expected.discard(name)
                if name in self._changed and self._changed[name].changed <= grants.answers:
                    self._changed.pop(name).new_holds.clear()
            yield
        if grants.epoch > self._epoch:
            self._report_holds_again()
        self._epoch, self._number = grants.epoch, grants.number
        self._until_ms = max(self._until_ms, sent.at_ms + self._term_ms)
        for number in [number for number in self._sent if number < grants.answers]:
            del self._sent[number]

    def check_term(self, at_ms: int) -> None:
        """Opens the leases while the term lasts, and closes them after it."""
        self._is_open = at_ms < self._until_ms

    @property
    def until_ms(self) -> int:
        return self._until_ms

    def release_all(self) -> None:
        """Returns all leases: this worker serves no more."""
        run_to_end(self.release_steps())

    def release_steps(self) -> Generator[None, None, None]:
        """Runs `release_all` in steps. The caller may commit nothing in between."""
        held = list(self._held.items())
        for start in range(0, len(held), AT_ONCE):
            for name, one in held[start : start + AT_ONCE]:
                self._release(name, one, keep_micros=0)
            yield

    def _lines(self, name: str) -> list[ReportLine]:
        """
        Returns the lines for the next report, and clears the request that they contain. Holds come before their
        campaign, in the same report: the allocator counts them apart from its other commits.
        """
        held = self._held[name]
        lines = [
            ReportLine(each, 0, held.holds[each].micros, is_request=False)
            for each in sorted(held.new_holds)
        ]
        lease = held.lease
        held.late_micros = lease.committed_micros - held.before_micros
        held.before_micros = lease.committed_micros
        is_request = name in self._requested or name in self._expected
        self._requested.discard(name)
        lines.append(ReportLine(name, lease.returned_micros, lease.committed_micros, is_request))
        return lines

    def _hold(
        self, campaign: Campaign, held: HeldLease, micros: int, now_ms: int, until_day: int
    ) -> None:
        day = local_day(campaign.timezone, now_ms).name
        name = hold_name(campaign.id, HoldDays(day, until_day))
        count = held.holds.get(name)
        if count is None:
            first_day = now_ms // DAY_MS - 1
            for ended in [each for each, one in held.holds.items() if one.until_day < first_day]:
                del held.holds[ended]
                held.new_holds.discard(ended)
            self._holding.add(campaign.id)
            count = held.holds[name] = HeldCount(until_day)
            if self._commits is not None:
                count.counts, count.place = self._commits.place(name)
        count.micros += micros
        if count.counts is not None:
            count.counts[count.place] = count.micros
        held.new_holds.add(name)

    def _report_holds_again(self) -> None:
        """A new allocator may have the state of an earlier day, or of one that ignored holds."""
        for campaign_id in self._holding:
            held = self._held[campaign_id]
            held.new_holds.update(held.holds)
            self._change(campaign_id, held)

    def _merge_grant(self, line: GrantLine) -> None:
        held = self._held.setdefault(line.campaign_id, HeldLease())
        held.lease.merge_grant(
            Lease(line.granted_micros, line.returned_micros, line.committed_micros)
        )
        held.day = line.day
        held.is_answered = True
        self._expected.discard(line.campaign_id)
        if line.pass_ppm < WHOLE:
            self.pass_rates[line.campaign_id] = line.pass_ppm
        else:
            self.pass_rates.pop(line.campaign_id, None)
        if line.recalled:
            keep = held.late_micros * HORIZON_MS // _EVERY_MS
            self._release(line.campaign_id, held, keep_micros=keep)

    def _request(self, campaign_id: str, default: int) -> int:
        campaign = self._campaigns.get(campaign_id)
        if campaign is None or not is_spent_by_event(campaign):
            return default
        self._held[campaign_id] = HeldLease(campaign.bid_micros)
        self._note_request(campaign_id)
        return BUDGET_UNKNOWN

    def _note_request(self, campaign_id: str) -> None:
        if not self._requested and self.on_request is not None:
            self.on_request()
        self._requested.add(campaign_id)

    def _today(self, campaign_id: str) -> str:
        campaign = self._campaigns.get(campaign_id)
        return "" if campaign is None else local_day(campaign.timezone, self._now_ms).name

    def _release(self, campaign_id: str, held: HeldLease, *, keep_micros: int) -> None:
        before = held.lease.returned_micros
        held.lease.release(keep_micros)
        if held.lease.returned_micros != before:
            self._change(campaign_id, held)

    def _change(self, campaign_id: str, held: HeldLease) -> None:
        """Marks the lease for the next report, and for later ones until one is answered."""
        held.changed = self._sequence + 1
        self._changed[campaign_id] = held
