"""
Gives the sample account of `make run` its past: four weeks of simulated records, stored by the code of ingest.

The records go past the event log of the running service, so its metrics count none of them. The account is marked
first: nothing is learned from a marked account, and nothing is billed to it. The store takes each record once. A run
that was interrupted is repeated whole, with the same records.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.opportunity import Opportunity, Signals
from common.pacing.curve import HOURS, Curve
from common.snapshot.model import Campaign, Property, Slot
from common.snapshot.snapshot import build_snapshot, parse_entries
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import encode_record
from common.values.clock import FixedClock, from_ms, to_ms
from common.values.enums import DeviceType, Format, Pacing, Surface
from common.values.environment import Environment
from control.api.context import ControlContext
from control.api.operator_action import ActionRefused, operator_action
from control.events.ingest.late_days import mark_late_days
from control.events.ingest.partitions import ensure_partitions
from control.events.ingest.store_factory import open_store
from control.operations.simulator.audience import Timed
from control.operations.simulator.history import history
from control.operations.simulator.scenario import HOUR_MS, Scenario
from control.operations.simulator.traffic import UserPopulation, usual_at, usual_by_hour
from control.operations.simulator.world import SimulatedCampaign, World
from control.ports.events import RawBatch, RawRecord
from control.reporting.forecast import load_inputs
from control.storage.tables.accounts import AccountRow

_EDGE = "sample"
_PARTITION = 0
_AT_ONCE = 5_000
"""Records of one transaction; a usual day has fewer, so it is stored by one."""
_PARTITION_DAYS = 8
"""`ensure_partitions` prepares yesterday and seven days from its day on."""
_COUNTRIES = {"us": 34, "de": 22, "gb": 14, "br": 12, "fr": 8, "es": 6, "nl": 4}
_DEVICES = {DeviceType.MOBILE: 58, DeviceType.DESKTOP: 36, DeviceType.TABLET: 6}
_FORMAT_SHARES = {
    Format.BANNER: 38,
    Format.NATIVE: 30,
    Format.HTML: 12,
    Format.VIDEO: 8,
    Format.EMAIL: 8,
    Format.AUDIO: 4,
}
_LIMITED = 0.12
"""Share of visitors who consent to nothing."""
_WEIGHT = 1_000
_HAS_EVENTS = text("select exists (select from ad_counts where account_id = :account)")
_PROPERTIES = text("select id from properties where account_id = :account")


async def write_history(control: ControlContext, scenario: Scenario, account_id: str) -> int:
    """
    Returns how many records were stored now. The history ends when the account was created.

    Raises `ActionRefused` outside of `make run`, and for an account with events of its own; `NotFound`.
    """
    created_ms = await _mark(control, account_id)
    start_ms = created_ms // HOUR_MS * HOUR_MS - (scenario.hours - 1) * HOUR_MS
    scenario = scenario.model_copy(update={"start": from_ms(start_ms)})
    async with control.database.service() as session:
        world = await _read_world(session, scenario, account_id)
    first, last = from_ms(scenario.start_ms), from_ms(scenario.end_ms)
    for ahead in range(1, (last - first).days + _PARTITION_DAYS, _PARTITION_DAYS):
        async with control.database.service() as session:
            await ensure_partitions(session, (first + timedelta(days=ahead)).date())
    properties = [one.id for one in world.objects if isinstance(one, Property)]
    return await _Writer(control, account_id, properties).write(
        history(scenario, world, created_ms)
    )


async def _mark(control: ControlContext, account_id: str) -> int:
    """Returns when the account was created, in epoch ms."""
    if control.settings.sample_file is None:
        raise ActionRefused("PLACARD_SAMPLE_FILE is not set: only `make run` has a sample account.")
    async with operator_action(control) as act:
        row = await act.get(AccountRow, account_id)
        if row.is_sample:
            return to_ms(row.created_at)
        if await act.session.scalar(_HAS_EVENTS, {"account": account_id}):
            raise ActionRefused("The account has events of its own. Use a new account.")
        row.is_sample = True
        act.record("account.mark_sample", "account", row.id, row.id)
        return to_ms(row.created_at)


class _Writer:
    """One spool writer whose records are stored on a clock that follows them."""

    def __init__(self, control: ControlContext, account_id: str, properties: Iterable[str]) -> None:
        self._control = control
        self._clock = FixedClock(0)
        self._store = open_store(replace(control, clock=self._clock))
        self._accounts = dict.fromkeys(properties, account_id)
        self._writer = WriterId(_EDGE, account_id.replace("-", ""))
        self._source = f"sample/{account_id}"
        self._position: int | None = None
        self._sequence = 0

    async def write(self, days: Iterable[Sequence[Timed]]) -> int:
        self._position = await self._store.position(self._source, _PARTITION)
        stored = 0
        for records in days:
            for first in range(0, len(records), _AT_ONCE):
                stored += await self._store_some(records[first : first + _AT_ONCE])
        return stored

    async def _store_some(self, records: Sequence[Timed]) -> int:
        before, batch = self._position, self._batch(records)
        if before is not None and before >= batch.records[-1].position:
            return 0
        # The clock is that of the first record: none of them is late, and all are stored on their day.
        self._clock.advance(ms=records[0][0] - self._clock.now_ms())
        poll = await self._store.prepare([batch])
        result = await self._store.store(self._source, poll, {_PARTITION: before})
        self._position = result.positions[_PARTITION]
        # Reports count these days again: without the marks, they would take the sums of before.
        async with self._control.database.service() as session:
            now = self._control.clock.now()
            await mark_late_days(session, (), poll.parsed.counters, self._accounts, now)
        return result.records

    def _batch(self, records: Sequence[Timed]) -> RawBatch:
        raw = []
        for _, body in records:
            self._sequence += 1
            record = LogRecord(self._writer, self._sequence, b"", body)
            raw.append(RawRecord(self._sequence, encode_record(record)))
        return RawBatch(_PARTITION, tuple(raw))


async def _read_world(session: AsyncSession, scenario: Scenario, account_id: str) -> World:
    """Returns the account's live objects as published, with invented visitors."""
    properties = list(await session.scalars(_PROPERTIES, {"account": account_id}))
    reach = load_inputs.Reach(account_id, properties, Environment.LIVE)
    objects = tuple(parse_entries(await load_inputs.read_entries(session, reach)))
    pacings = await load_inputs.read_pacings(session, reach)
    snapshot = build_snapshot(Environment.LIVE, scenario.name, 1, objects)
    usual = [round(usual_at(scenario, hour * HOUR_MS) * _WEIGHT) for hour in range(HOURS)]
    orders = tuple(
        _order(scenario, campaign, pacings.get(campaign.id, Pacing.EVEN))
        for campaign in snapshot.campaigns.values()
        if is_spent_by_event(campaign)
    )
    users = _visitors(scenario, snapshot.properties.values(), snapshot.slots.values())
    return World(objects, orders, users, usual_by_hour(scenario), Curve(usual))


def _order(scenario: Scenario, campaign: Campaign, pacing: Pacing) -> SimulatedCampaign:
    start_ms = campaign.start_at_ms or scenario.start_ms
    end_ms = campaign.end_at_ms or scenario.end_ms
    return SimulatedCampaign(
        campaign, pacing if campaign.end_at_ms else Pacing.ASAP, start_ms, end_ms
    )


def _visitors(
    scenario: Scenario, properties: Iterable[Property], slots: Iterable[Slot]
) -> UserPopulation:
    """The first visitors are the most frequent, falling off as words do (Zipf), and slots by what they show."""
    rng = Random(scenario.seed)
    homes = {prop.id: prop for prop in properties}
    places = [slot for slot in slots if slot.property_id in homes]
    shares = [max(_FORMAT_SHARES[one] for one in slot.formats) for slot in places]
    people = [
        _visitor(rng, homes[slot.property_id], slot)
        for slot in rng.choices(places, shares, k=scenario.traffic.kinds)
    ]
    return UserPopulation(people, [1 / (rank + 40) for rank in range(len(people))])


def _visitor(rng: Random, prop: Property, slot: Slot) -> Opportunity:
    country = rng.choices(list(_COUNTRIES), list(_COUNTRIES.values()))[0]
    device = rng.choices(list(_DEVICES), list(_DEVICES.values()))[0]
    return Opportunity(
        *(Environment.LIVE, prop, slot, None, None, None, Surface.WEB, None),
        rng.random() < _LIMITED,
        False,  # noqa: FBT003 - a value's fields, in their order
        Signals(country=country, device=device),
    )
