"""An admitted serve request: everything that its answer depends on. Later steps do not see the HTTP request."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from common.contract.scenarios import SERVE_SCENARIOS
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.privacy.consent import Consent
from common.values.enums import Surface
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from edge.admission.client_address import library_surface, surface_of
from edge.admission.keys import Admission, RouteGroup, admit_uncounted, count_call
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.multi_slot import MAX_SLOTS, RequestedSlots, find_slot_texts, multi_slot_errors
from edge.serving.serve_query import TagParams, parse_tag_params, parse_user_params
from edge.serving.signals import signals_of
from edge.serving.slots import get_slot
from edge.serving.test_controls import TestControls, parse_test_controls
from edge.serving.timing import Timing

_ONE_SLOT: Final[RequestedSlots] = ()
_NO_FAULTS: Final[Sequence[Detail]] = ()


@final
class ServeRequest:
    """
    A parsed, admitted serve request; complete except for the user's frequency counts.

    ``person``: the user whose frequency counts may be read; None without a consented uid. ``seen``: the client's own
    counter. ``several``: the slots where more than one is requested; ``opportunity`` is the first's. ``decision_ms``:
    the time to decide at, which a test may set; everything else uses ``now_ms``.
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
        )


def build_counted(edge: EdgeContext, call: Call) -> ServeRequest:
    """Builds the request and counts it. Raises `Refused`, `SnapshotMissing`."""
    now_ms = edge.clock.now_ms()
    several = find_slot_texts(call.query_string)
    admission = admit_uncounted(edge, call, now_ms)
    count_call(edge, RouteGroup.SERVE, admission, now_ms, calls=_calls(several))
    return _asking(edge, call, admission, several, now_ms, is_counted=True)


def build_uncounted(edge: EdgeContext, call: Call) -> ServeRequest:
    """
    As `build_counted`, with nothing changed: only `count_request` counts the request.

    Raises what `build_counted` raises, except that the rate limit is exceeded.
    """
    now_ms = edge.clock.now_ms()
    several = find_slot_texts(call.query_string)
    admission = admit_uncounted(edge, call, now_ms)
    return _asking(edge, call, admission, several, now_ms, is_counted=False)


def count_request(edge: EdgeContext, looked: ServeRequest) -> None:
    """Counts *looked*. Raises `Refused`, with nothing changed, where the rate limit is exceeded."""
    calls = max(1, len(looked.several))
    count_call(edge, RouteGroup.SERVE, looked.admission, looked.now_ms, calls=calls)
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
        request.admission.renewed(snapshot, prop),
        [(text, snapshot.slots.get(one.id, one)) for text, one in request.several],
    )


def _calls(several: tuple[str, ...]) -> int:
    """How many calls the request counts as."""
    return min(len(several), MAX_SLOTS) or 1


def _asking(
    edge: EdgeContext,
    call: Call,
    admission: Admission,
    several: tuple[str, ...],
    now_ms: int,
    *,
    is_counted: bool,
) -> ServeRequest:
    query, prop, snapshot = call.query, admission.property, admission.snapshot
    params = parse_tag_params(query)
    trial = parse_test_controls(edge, call, SERVE_SCENARIOS, now_ms, may_move=True)
    if trial is not None:
        trial.refuse_serving()
    if (params.debug or params.preview_ad_id is not None) and not edge.environment.is_test:
        _check_may_look_inside(admission)
    if not params.slot:  # a fault, which is reported together with the others
        parse_user_params(query, params, server=admission.is_believed)
    slot = get_slot(snapshot, prop, params.slot or "")
    slots, more = _ONE_SLOT, _NO_FAULTS
    if several:
        slots = [(text, get_slot(snapshot, prop, text)) for text in several[:MAX_SLOTS]]
        more = multi_slot_errors(several, output=params.output, preview=params.preview_ad_id)
    reader = parse_user_params(query, params, server=admission.is_believed, more=more)
    consent = params.consent.decide(call.caller, prop.consent_policy, edge.settings.tcf_vendor_id)
    named = _named_surface(admission, call, params)
    user_agent = reader.told.user_agent or call.caller.user_agent
    opportunity = Opportunity(
        edge.environment,
        prop,
        slot,
        params.format,
        params.width,
        params.height,
        surface_of(admission.key.kind, prop.kind, user_agent, params.output)
        if named is None
        else named,
        params.preview_ad_id,
        consent.limited,
        consent.child_directed,
        signals_of(
            edge, call.caller, admission, params.languages, reader.told, personal=consent.personal
        ),
        surface_named=named is not None,
        measured=consent.measurement,
    )
    # Nothing below reads the HTTP request.
    person = None
    if consent.personal and reader.uid is not None:
        person = edge.capping.person(prop.id, reader.uid)
    return ServeRequest(
        admission,
        opportunity,
        consent,
        now_ms,
        edge.take_seed() if is_counted else edge.peek_seed(),
        params,
        person,
        reader.seen,
        slots,
        Timing(edge.clock) if params.debug else None,
        trial,
    )


def _named_surface(admission: Admission, call: Call, params: TagParams) -> Surface | None:
    """The surface as a server names it, else that of the client library; None where neither is given."""
    if params.surface is not None and admission.is_believed:
        return params.surface
    client = call.caller.client
    return (None if client is None else library_surface(client)) or params.library


def _check_may_look_inside(admission: Admission) -> None:
    if not admission.is_server:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            Message("debug and preview_ad need a secret key, or a test key on the test edge."),
        )
