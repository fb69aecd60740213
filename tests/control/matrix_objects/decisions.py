"""Decisions: one is recorded, as ingest stores it."""

from common.decision.record import DecisionRecord
from common.decision.rules.outcome import NoFillReason
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import encode_record
from common.values.clock import to_ms
from common.values.ids import new_id
from control.outbox.outbox_reader import read_head
from control.ports.events import RawBatch, RawRecord
from control.reporting.decision_log.examples import DECISION_ID
from control.reporting.decision_log.ingest import DecisionStore
from tests.control.matrix_registry import Maker, Room, Thing

_SOURCE = "matrix"


async def _decision(maker: Maker) -> str:
    control = maker.api.control
    slot_id = await maker.id_of("slots")
    head = await read_head(control.database)
    record = DecisionRecord(
        id=new_id(),
        at_ms=to_ms(control.clock.now()),
        is_test=False,
        account_id=maker.owner.account_id,
        property_id=await maker.id_of("properties"),
        slot_id=slot_id,
        epoch=head.epoch,
        version=head.version,
        seed=1,
        opportunity={"surface": "web", "format": None, "width": None, "height": None}
        | {"preview_ad_id": None, "consent_limited": False, "child_directed": False},
        gates={"open_micros": {}},
        consent={},
        reason=NoFillReason.NO_CANDIDATE,
    )
    raw = encode_record(LogRecord(WriterId("edge-a", "0" * 32), 1, b"", record))
    store = DecisionStore(control.database, control.clock)
    before = await store.position(_SOURCE, 0)
    batch = RawBatch(0, (RawRecord((-1 if before is None else before) + 1, raw),))
    await store.store(_SOURCE, [batch], {0: before})
    return record.id


ROOM = Room(
    things=(Thing("decisions", _decision, example=DECISION_ID, has_environment=True),),
)
