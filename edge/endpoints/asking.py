"""A serve call past its admission: everything its answer follows from. Nothing behind this sees the request."""

from dataclasses import dataclass, replace

from common.decision.gates import Lookup
from common.decision.opportunity import Opportunity
from common.errors import ErrorCode, Refused
from common.privacy.consent import Consent
from edge.admission.client import surface_of
from edge.admission.keys import Admission, Door, admit
from edge.context import EdgeContext
from edge.endpoints.serve_many import MOST_SLOTS, SlotsAsked, check_several, find_slot_texts
from edge.endpoints.serve_query import parse_serve_query, preview_ad_id, slot_text, wants_debug
from edge.endpoints.slots import get_slot
from edge.endpoints.timing import Timing
from edge.http.call import Call
from edge.opportunity.consent import consent_of
from edge.opportunity.signals import signals_of


@dataclass(slots=True)
class Asking:
    """
    Lacks only what was counted of the person.

    ``person``: whose caps may be asked for; None without a consented uid. ``seen``: the caller's own counter.
    ``several``: the slots where more than one is asked for; ``opportunity`` is the first's.
    """

    admission: Admission
    opportunity: Opportunity
    consent: Consent
    now_ms: int
    seed: int
    debug: bool
    output: str
    person: bytes | None
    seen: Lookup | None
    several: SlotsAsked = ()
    timing: Timing | None = None


def ask(edge: EdgeContext, call: Call) -> Asking:
    """Raises `Refused`, `SnapshotMissing`."""
    now_ms = edge.clock.now_ms()
    several = find_slot_texts(call.query_string)
    admission = admit(edge, call, Door.SERVE, now_ms, calls=min(len(several), MOST_SLOTS) or 1)
    query, prop = call.query, admission.property
    debug, preview = wants_debug(query), preview_ad_id(query)
    if debug or preview is not None:
        _check_may_look_inside(edge, admission)
    slot = get_slot(admission.snapshot, prop, slot_text(query))
    asked = parse_serve_query(call, server=admission.is_server)
    consent = consent_of(call, prop, edge.settings.tcf_vendor_id)
    opportunity = Opportunity(
        edge.environment,
        prop,
        slot,
        asked.format,
        asked.width,
        asked.height,
        surface_of(admission.key.kind, prop.kind, admission.client.user_agent),
        preview,
        consent.limited,
        consent.child_directed,
        signals_of(edge, call, admission, asked.told, personal=consent.personal),
    )
    slots: SlotsAsked = ()
    if several:
        check_several(several, output=asked.output, preview=preview)
        slots = [(text, get_slot(admission.snapshot, prop, text)) for text in several]
    # Nothing below sees the request.
    person = None
    if consent.personal and asked.uid is not None:
        person = edge.capping.person(prop.id, asked.uid)
    seed = edge.rng.getrandbits(64)
    return Asking(
        *(admission, opportunity, consent, now_ms, seed),
        *(debug, asked.output, person, asked.seen, slots),
        timing=Timing(edge.clock) if debug else None,
    )


def renewed(edge: EdgeContext, asking: Asking) -> Asking:
    """After a wait: on the snapshot of now, for only the newest one keeps its indexes."""
    snapshot = edge.snapshots.current()
    if snapshot is asking.admission.snapshot:
        return asking
    opportunity = asking.opportunity
    prop = snapshot.properties.get(opportunity.property.id, opportunity.property)
    slot = snapshot.slots.get(opportunity.slot.id, opportunity.slot)
    return replace(
        asking,
        admission=replace(asking.admission, snapshot=snapshot, property=prop),
        opportunity=replace(opportunity, property=prop, slot=slot),
        several=[(text, snapshot.slots.get(one.id, one)) for text, one in asking.several],
    )


def _check_may_look_inside(edge: EdgeContext, admission: Admission) -> None:
    if not edge.environment.is_test and not admission.is_server:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            "debug and preview_ad need a secret key, or a test key on the test edge.",
        )
