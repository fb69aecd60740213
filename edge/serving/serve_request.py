"""An admitted serve request: everything that its answer depends on. Later steps do not see the HTTP request."""

from dataclasses import replace
from typing import Final, final

from common.contract.scenarios import SERVE_SCENARIOS
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.privacy.consent import Consent
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.admission.keys import Admission, RouteGroup, admit_uncounted, count_call
from edge.context import EdgeContext
from edge.request.call import Call
from edge.request.device_headers import DeviceHeaders
from edge.serving.opportunity import build_opportunity
from edge.serving.serve_query import MAX_SLOTS, TagParams, parse_serve_query
from edge.serving.slots import RequestedSlots, get_slot
from edge.serving.test_controls import TestControls, parse_test_controls, refuse_simulated
from edge.serving.timing import Timing

_ONE_SLOT: Final[RequestedSlots] = ()


@final
class ServeRequest:
    """
    A parsed, admitted serve request; complete except for the user's frequency counts.

    ``person``: the user whose frequency counts may be read; None without a consented uid. ``seen``: the client's own
    counter. ``several``: the slots where more than one is requested; ``opportunity`` is the first's. ``decision_ms``:
    the time to decide at, which a test may set; everything else uses ``now_ms``. ``page_url``: the parameter ``url``,
    with ``debug`` only.
    """

    def __init__(  # noqa: PLR0917 - keywords cost a third of making one
        self,
        admission: Admission,
        opportunity: Opportunity,
        consent: Consent,
        now_ms: int,
        seed: int,
        params: TagParams,
        person: bytes | None,
        seen: Lookup | None,
        several: RequestedSlots,
        timing: Timing | None,
        trial: TestControls | None = None,
        page_url: str | None = None,
    ) -> None:
        self.admission = admission
        self.opportunity = opportunity
        self.consent = consent
        self.now_ms = now_ms
        self.seed = seed
        self.params = params
        self.person = person
        self.seen = seen
        self.several = several
        self.timing = timing
        self.trial = trial
        self.page_url = page_url
        moved_ms = None if trial is None else trial.now_ms
        self.decision_ms: int = now_ms if moved_ms is None else moved_ms

    def at(
        self,
        opportunity: Opportunity,
        admission: Admission | None = None,
        several: RequestedSlots | None = None,
    ) -> "ServeRequest":
        """The same request for another opportunity."""
        return ServeRequest(
            self.admission if admission is None else admission,
            opportunity,
            self.consent,
            self.now_ms,
            self.seed,
            self.params,
            self.person,
            self.seen,
            self.several if several is None else several,
            self.timing,
            self.trial,
            self.page_url,
        )


def build_request(
    edge: EdgeContext, call: Call, *, is_counted: bool, admission: Admission | None = None
) -> ServeRequest:
    """
    Admits and parses *call*. Raises `Refused`, `SnapshotMissing`. *admission*: of a call that was admitted before.

    *is_counted* False: nothing is changed, and the rate limit is not checked; only `count_request` counts the request.
    """
    now_ms = edge.clock.now_ms()
    query = call.query
    if admission is None:
        admission = admit_uncounted(edge, call, now_ms)
    if is_counted:
        calls = min(len(query.several_slots), MAX_SLOTS) or 1
        count_call(edge, RouteGroup.SERVE, admission, calls=calls)
    refuse_simulated(edge, call)
    params = parse_serve_query(query, believed=admission.is_believed)
    if admission.is_believed:
        params.add_device(DeviceHeaders(call.headers))
    tag, prop, snapshot = params.tag, admission.property, admission.snapshot
    looks_inside = tag.debug or tag.preview_ad_id is not None
    if looks_inside and not admission.is_server and not edge.environment.is_test:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            Message("debug and preview_ad need a secret key, or a test key on the test edge."),
        )
    slot = get_slot(snapshot, prop, tag.slot) if tag.slot else None
    slots = _ONE_SLOT
    if slot is not None and query.several_slots:
        slots = [(text, get_slot(snapshot, prop, text)) for text in query.several_slots[:MAX_SLOTS]]
    trial = parse_test_controls(edge, call, SERVE_SCENARIOS, now_ms, may_move=True)
    if slot is None or params.faults:
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            Message.joined([fault.message for fault in params.faults]),
            param=params.faults[0].param,
            details=tuple(params.faults),
        )
    consent = tag.consent.decide(
        call.caller,
        prop.consent_policy,
        edge.settings.tcf_vendor_id,
        limits_tracking=params.limits_tracking,
    )
    person = None
    if consent.personal and params.uid is not None:
        person = edge.frequency_caps.person(prop.id, params.uid)
    return ServeRequest(
        admission,
        build_opportunity(edge, call.caller, admission, params, slot, consent),
        consent,
        now_ms,
        edge.take_seed() if is_counted else edge.peek_seed(),
        tag,
        person,
        params.seen,
        slots,
        Timing(edge.clock) if tag.debug else None,
        trial,
        query.get("url") if tag.debug else None,
    )


def count_request(edge: EdgeContext, serve_request: ServeRequest) -> None:
    """Counts *serve_request*. Raises `Refused`, with nothing changed, where the rate limit is exceeded."""
    calls = max(1, len(serve_request.several))
    count_call(edge, RouteGroup.SERVE, serve_request.admission, calls=calls)
    edge.take_seed()


def rebase(edge: EdgeContext, request: ServeRequest) -> ServeRequest:
    """Moves *request* to the current snapshot after a wait: only the newest snapshot keeps its indexes."""
    snapshot = edge.snapshots.current()
    if snapshot is request.admission.snapshot:
        return request
    opportunity = request.opportunity
    prop = snapshot.properties.get(opportunity.property.id, opportunity.property)
    slot = snapshot.slots.get(opportunity.slot.id, opportunity.slot)
    return request.at(
        replace(opportunity, property=prop, slot=slot),
        request.admission.refreshed(snapshot, prop),
        [(text, snapshot.slots.get(one.id, one)) for text, one in request.several],
    )
