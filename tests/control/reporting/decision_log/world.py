"""A customer with a slot and campaigns in test, and an edge beside them that records what it decides."""

from dataclasses import dataclass
from typing import Any

from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.explain import explain
from common.decision.record import DecisionRecord, record_of
from common.decision.recorded_gates import recording
from common.decision.rules.gates import Gates
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import Decision
from common.snapshot.snapshot import Snapshot, build_snapshot, parse_entries
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import encode_record
from common.values.clock import to_ms
from common.values.enums import Surface
from common.values.environment import Environment
from common.values.ids import new_id
from control.outbox.state import load_full
from control.ports.events import RawBatch, RawRecord
from control.reporting.decision_log.ingest import DecisionStore
from tests.support.control_api import ControlApi
from tests.support.resources import Customer

WRITER = WriterId("edge-a", "0" * 32)


@dataclass(slots=True)
class World:
    api: ControlApi
    customer: Customer
    property_id: str
    slot: dict[str, Any]
    environment: Environment = Environment.TEST
    seeds: int = 0

    @classmethod
    async def open(cls, api: ControlApi) -> "World":
        customer = Customer(api, await api.sign_up())
        prop = await customer.make_property(domain=f"{new_id()}.example")
        slot = await customer.make_slot(prop["id"], key="top", formats=["banner"])
        return cls(api, customer, prop["id"], slot)

    async def run_campaign(self, *, targeting: Any = None, **changes: Any) -> str:
        """An active campaign with one active ad, in test; its id."""
        if targeting is not None:
            changes["targeting"] = targeting
        campaign = await self.customer.make_campaign(self.property_id, "test", **changes)
        ad = await self.customer.make_ad(campaign["id"], "test")
        await self.act(f"/v1/ads/{ad['id']}/activate")
        await self.act(f"/v1/campaigns/{campaign['id']}/activate")
        found: str = campaign["id"]
        return found

    async def act(self, path: str) -> None:
        answer = await self.customer.post(path)
        assert answer.status_code == 200, answer.text

    async def snapshot(self) -> Snapshot:
        """As this moment's edges have it."""
        full = await load_full(self.api.control.database, self.environment)
        objects = parse_entries(full.entries)
        return build_snapshot(self.environment, full.epoch, full.version, objects)

    async def decide(
        self, *, gates: Gates | None = None, signals: Signals | None = None, debug: bool = False
    ) -> tuple[DecisionRecord, Decision]:
        """What an edge decides now, and what it writes down."""
        snapshot = await self.snapshot()
        self.seeds += 1
        now_ms = to_ms(self.api.control.clock.now())
        decision_input = DecisionInput(
            snapshot,
            self._opportunity(snapshot, signals or Signals()),
            recording(gates or Gates()),
            now_ms,
            self.seeds * 0x9E3779B97F4A7C15 % (1 << 64),
        )
        arguments = (
            snapshot,
            decision_input.opportunity,
            decision_input.gates,
            now_ms,
            decision_input.seed,
        )
        decision = explain(*arguments).decision if debug else decide(*arguments)
        return record_of(new_id(), decision_input, decision), decision

    async def keep(self, *records: DecisionRecord | bytes) -> None:
        """As ingest does it."""
        raws = [
            one if isinstance(one, bytes) else encode_record(LogRecord(WRITER, 1, b"", one))
            for one in records
        ]
        store = DecisionStore(self.api.control.database, self.api.control.clock)
        before = await store.position("test", 0)
        start = -1 if before is None else before
        batch = RawBatch(0, tuple(RawRecord(start + 1 + n, raw) for n, raw in enumerate(raws)))
        await store.store("test", [batch], {0: before})

    async def explain(self, headers: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
        """What must be answered."""
        answer = await self.customer.post("/v1/decisions/explain", body, headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def _opportunity(self, snapshot: Snapshot, signals: Signals) -> Opportunity:
        return Opportunity(
            environment=self.environment,
            property=snapshot.properties[self.property_id],
            slot=snapshot.slots[self.slot["id"]],
            format=None,
            width=None,
            height=None,
            surface=Surface.WEB,
            preview_ad_id=None,
            consent_limited=False,
            child_directed=False,
            signals=signals,
        )
